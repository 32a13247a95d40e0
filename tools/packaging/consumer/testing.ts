import { createClient } from '@plant-store/client';
import { createFakePlantStore, type Fault } from '@plant-store/client/testing';

const store = createFakePlantStore();
const lost: Fault = { kind: 'drop', stored: true };
store.fail(lost);

const reply = await createClient(store).createPlant({ body: { id: 1, name: 'Rose' } });
if (reply.status !== 200 || !reply.replayed) throw new Error(`Status ${reply.status}, not a replay`);
const name: string | undefined = store.plants.get(1n)?.name;
if (name !== 'Rose') throw new Error(`${name} is stored`);
