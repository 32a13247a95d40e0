import { expect, it, vi } from 'vitest';
import { ServiceError } from '../errors/service-error.js';
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

const awaitTurn = async (left: number) => left;
const plants = [
  { id: 7n, name: 'Fern' },
  { id: 8n, name: 'Ivy' },
  { id: 7n, name: 'Moss' },
  { id: 7n, name: 'Fern' },
];

it('stores the first of several plants with one id, whatever is stored first of what is in flight', async () => {
  const stored: StoredPlant[] = [];
  const queue = createReversingQueue((plant) => {
    const existing = stored.find(({ id }) => id === plant.id);
    if (existing !== undefined) return { stored: false, existing };
    stored.push(plant);
    return { stored: true };
  });
  expect(await createPlants(queue, plants, 1, awaitTurn)).toMatchObject([
    { replayed: false },
    { replayed: false },
    { errorName: 'id_taken' },
    { replayed: true },
  ]);
  expect(stored).toEqual([plants[1], plants[0]]);
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
  const results = await createPlants(createReversingQueue(store), plants, 1, awaitTurn);
  expect(results).toMatchObject(Array(4).fill({ errorName }));
});

it('gives others their turn between some plants and the next ones', async () => {
  const create = vi.fn(async () => ({ stored: true }) as const);
  const many = Array.from({ length: 25 }, (_, index) => ({ id: BigInt(index), name: 'Fern' }));
  /** How many were left, and how many had been created, at each turn. */
  const turns: number[][] = [];
  const takeTen = async (left: number) => {
    turns.push([left, create.mock.calls.length]);
    return Math.min(left, 10);
  };
  expect(await createPlants({ create }, many, 1, takeTen)).toHaveLength(25);
  expect(turns).toEqual([
    [25, 0],
    [15, 10],
    [5, 20],
  ]);
});
