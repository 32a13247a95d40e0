import { createClient, isPlantStoreError } from '@plant-store/client';

/** The reply to the person or program that adds a plant. */
export interface Outcome {
  readonly status: 200 | 400 | 422 | 502;
  readonly message: string;
}

/** Stores a plant whose id is text, since `JSON.parse` and form fields of type `number` would round it beyond 2^53. */
export async function storePlant(id: unknown, name: unknown): Promise<Outcome> {
  if (typeof id !== 'string' || !/^-?\d+$/.test(id) || typeof name !== 'string') {
    return { status: 400, message: 'A plant needs an id, which is an integer as text, and a name.' };
  }
  try {
    const reply = await getClient().createPlant({ body: { id: BigInt(id), name } });
    if (reply.status === 200)
      return { status: 200, message: `${id} ${reply.replayed ? 'was there already' : 'is stored'}.` };
    if (reply.status === 400) return { status: 422, message: reply.body.message };
    console.error(reply.status, reply.body.error, reply.body.message, reply.requestId);
  } catch (error) {
    if (!isPlantStoreError(error)) throw error;
    console.error(error.message);
  }
  return {
    status: 502,
    message: 'The plant store cannot store plants right now. Try the same again later.',
  };
}

let client: ReturnType<typeof createClient> | undefined;

/** Created with the first plant, since a build has no token. */
export function getClient() {
  client ??= createClient({
    baseUrl: process.env['PLANT_STORE_URL'] ?? 'http://127.0.0.1:3000',
    token: process.env['PLANT_STORE_TOKEN'] ?? '',
  });
  return client;
}
