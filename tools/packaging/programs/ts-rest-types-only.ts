import { initClient, initContract } from '@ts-rest/core';

interface Plant {
  readonly name: string;
  readonly tag?: string;
}
interface NewPlant extends Plant {
  readonly id: number;
}
interface ErrorBody {
  readonly error: number;
  readonly message: string;
}

const c = initContract();
const contract = c.router({
  createPlant: {
    method: 'POST',
    path: '/plants',
    body: c.type<NewPlant>(),
    responses: {
      200: c.type<Plant>(),
      400: c.type<ErrorBody>(),
      401: c.type<ErrorBody>(),
      403: c.type<ErrorBody>(),
      429: c.type<ErrorBody>(),
      500: c.type<ErrorBody>(),
      503: c.type<ErrorBody>(),
    },
    strictStatusCodes: true,
  },
});

export async function createRose(token: string): Promise<string> {
  const client = initClient(contract, {
    baseUrl: 'http://127.0.0.1:3000',
    baseHeaders: { authorization: `Bearer ${token}` },
  });
  const reply = await client.createPlant({ body: { id: 1, name: 'Rose' } });
  return reply.status === 200 ? reply.body.name : reply.body.message;
}
