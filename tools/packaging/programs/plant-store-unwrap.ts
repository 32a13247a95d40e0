import { createClient } from '@plant-store/client';
import { isRejectedError, unwrap } from '@plant-store/client/unwrap';

export async function createRose(token: string): Promise<string> {
  const client = createClient({ baseUrl: 'http://127.0.0.1:3000', token });
  try {
    const { name } = await unwrap(client.createPlant({ body: { id: 1, name: 'Rose' } }));
    return name;
  } catch (error) {
    if (isRejectedError(error)) return error.message;
    throw error;
  }
}
