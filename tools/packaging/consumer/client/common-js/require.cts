// Compiles to `require`.
import { createClient } from '@plant-store/client';
import { createFakePlantStore } from '@plant-store/client/testing';

async function run(): Promise<void> {
  const reply = await createClient(createFakePlantStore()).createPlant({ body: { id: 1n, name: 'Rose' } });
  if (reply.status !== 200) throw new Error(reply.body.message);
}

void run();
