// The test of every test runner: the client over the fake plant store.
import { createClient } from '@plant-store/client';
import { createFakePlantStore } from '@plant-store/client/testing';

export async function storesAPlant() {
  const store = createFakePlantStore();
  store.fail({ kind: 'status', status: 502 });
  const { baseUrl, token, fetch } = store;
  const reply = await createClient({ baseUrl, token, fetch }).createPlant({ body: { id: 1n, name: 'Rose' } });
  if (reply.status !== 200 || store.plants.get(1n)?.name !== 'Rose')
    throw new Error('The plant is not stored');
}
