import { expect, it } from 'vitest';
import { ServiceError } from '../errors/service-error.js';
import { createPlants } from './create-plants.js';
import type { CreatePlantOutcome, PlantQueue, StoredPlant } from './plant-store.js';

/** A queue that decides about what is in flight in the reverse order of its arrival. */
function createReversingQueue(store: (plant: StoredPlant) => CreatePlantOutcome): Pick<PlantQueue, 'create'> {
  const inFlight: (() => void)[] = [];
  return {
    create: (plant) =>
      new Promise((resolve, reject) => {
        if (inFlight.length === 0)
          setImmediate(() => {
            for (const decide of inFlight.reverse()) decide();
          });
        inFlight.push(() => {
          try {
            resolve(store(plant));
          } catch (error) {
            reject(error);
          }
        });
      }),
  };
}

const awaitTurn = async (left: number) => left;
const fail = (error: unknown) => {
  throw error;
};
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
  expect(await createPlants(queue, plants, 1, awaitTurn, fail)).toMatchObject([
    { status: 200, replayed: false },
    { status: 200, replayed: false },
    { status: 400, error: 40003 },
    { status: 200, replayed: true },
  ]);
  expect(stored).toEqual([plants[1], plants[0]]);
});

it('answers all plants with the id of a deleted one alike, and with that of one that could not be stored', async () => {
  const retired = createReversingQueue(({ id }) => ({ stored: false, existing: { id, deleted: true } }));
  expect(await createPlants(retired, plants, 1, awaitTurn, fail)).toMatchObject(
    Array(4).fill({ status: 400, error: 40007 }),
  );
  const away = createReversingQueue(() => fail(new ServiceError('database_unavailable', 'away')) as never);
  expect(await createPlants(away, plants, 1, awaitTurn, fail)).toMatchObject(
    Array(4).fill({ status: 503, error: 50301 }),
  );
});

it('gives others their turn between some plants and the next ones', async () => {
  const turns: number[] = [];
  const created: number[] = [];
  const queue = createReversingQueue(() => ({ stored: true }));
  const count = 25;
  const many = Array.from({ length: count }, (_, index) => ({ id: BigInt(index), name: 'Fern' }));
  const counting: Pick<PlantQueue, 'create'> = {
    create(...args) {
      created.push(turns.length);
      return queue.create(...args);
    },
  };
  const takeTen = async (left: number) => {
    turns.push(left);
    return Math.min(left, 10);
  };
  const results = await createPlants(counting, many, 1, takeTen, fail);
  expect(results).toHaveLength(count);
  expect(turns).toEqual([25, 15, 5]);
  expect(created.filter((turn) => turn === 1)).toHaveLength(10);
});
