import { contract } from '@plant-store/contract';
import { initClient } from '@ts-rest/core';

export async function createRose(token: string): Promise<string> {
  const client = initClient(contract, {
    baseUrl: 'http://127.0.0.1:3000',
    baseHeaders: { authorization: `Bearer ${token}` },
  });
  const reply = await client.createPlant({ body: { id: 1, name: 'Rose' } });
  return reply.status === 200 ? reply.body.name : reply.body.message;
}
