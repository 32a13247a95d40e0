import { ServiceError } from '@plant-store/records';
import { expect, it } from 'vitest';

import { createPlants } from './create-plant.js';
import type { CreatePlantOutcome, PlantQueue, StoredPlant } from './plant-store.js';

/** A queue that decides about what is in flight in the reverse order of its arrival. */
function createReversingQueue(store: (plant: StoredPlant) => CreatePlantOutcome): Pick<PlantQueue, 'create'> {
  const inFlight: (() => void)[] = [];
  return {
    async create(plant) {
      if (inFlight.length === 0)
        setImmediate(() => {
          for (const decide of inFlight.reverse()) decide();
        });
      await new Promise<void>((resolve) => inFlight.push(resolve));
      return store(plant);
    },
  };
}

const items = [
  { id: 7n, name: 'Fern' },
  { id: 8n, name: 'Ivy' },
  { id: 7n, name: 'Moss' },
  { id: 7n, name: 'Fern' },
];
const batch = { items, caller: 1, awaitTurn: async (left: number) => left };

it('stores the first of several plants with one id, whatever is stored first of what is in flight', async () => {
  const stored: StoredPlant[] = [];
  const queue = createReversingQueue((plant) => {
    const existing = stored.find(({ id }) => id === plant.id);
    if (existing !== undefined) return { stored: false, existing };
    stored.push(plant);
    return { stored: true, addedAt: 1 };
  });
  expect(await createPlants(queue, batch)).toMatchObject([
    { replayed: false },
    { replayed: false },
    { errorName: 'id_taken' },
    { replayed: true },
  ]);
  expect(stored).toEqual([items[1], items[0]]);
});

it.each<[errorName: string, (plant: StoredPlant) => CreatePlantOutcome]>([
  ['id_retired', ({ id }) => ({ stored: false, existing: { id, deleted: true } })],
  [
    'database_unavailable',
    () => {
      throw new ServiceError('database_unavailable', 'away');
    },
  ],
])('answers all plants with the id of one that is rejected alike: %s', async (errorName, store) => {
  const results = await createPlants(createReversingQueue(store), batch);
  expect(results).toMatchObject(Array(4).fill({ errorName }));
});
