import { createClient } from '@plant-store/client';

export async function createRose(token: string): Promise<string> {
  const client = createClient({ baseUrl: 'http://127.0.0.1:3000', token });
  const reply = await client.createPlant({ body: { id: 1, name: 'Rose' } });
  return reply.status === 200 ? reply.body.name : reply.body.message;
}
