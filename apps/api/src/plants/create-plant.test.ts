import { expect, it } from 'vitest';
import { ServiceError } from '../errors/service-error.js';
import { createPlant, createPlants } from './create-plant.js';
import type { CreatePlantOutcome, PlantQueue, StoredPlant } from './plant-store.js';

/** A queue that resolves every create to the same outcome. */
const resolvingTo = (outcome: CreatePlantOutcome) => ({ create: async () => outcome });
const holding = (existing: StoredPlant) => resolvingTo({ stored: false, existing });
const fern = { id: 7n, name: 'Fern', tag: 'shade' };

it('stores a plant that is new', async () => {
  expect(await createPlant(resolvingTo({ stored: true }), fern, 1)).toEqual({ replayed: false });
});

it('replays the same plant', async () => {
  expect(await createPlant(holding({ ...fern }), fern, 1)).toEqual({ replayed: true });
  const untagged = { id: 7n, name: 'Fern' };
  expect(await createPlant(holding({ ...untagged }), untagged, 1)).toEqual({ replayed: true });
});

it.each([
  { difference: 'name', existing: { ...fern, name: 'fern' } },
  { difference: 'normalization', existing: { ...fern, name: 'Fern\u0301' } },
  { difference: 'tag', existing: { ...fern, tag: '' } },
  { difference: 'no tag', existing: { id: 7n, name: 'Fern' } },
])('rejects a different plant under a taken id: $difference', async ({ existing }) => {
  await expect(createPlant(holding(existing), fern, 1)).rejects.toMatchObject({
    errorName: 'id_taken',
    message: 'The id 7 belongs to another plant. Choose another id.',
  });
});

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
  expect(await createPlants(queue, plants, 1, awaitTurn)).toMatchObject([
    { replayed: false },
    { replayed: false },
    { errorName: 'id_taken' },
    { replayed: true },
  ]);
  expect(stored).toEqual([plants[1], plants[0]]);
});

it('answers all plants with the id of a deleted one alike, and with that of one that could not be stored', async () => {
  const retired = createReversingQueue(({ id }) => ({ stored: false, existing: { id, deleted: true } }));
  expect(await createPlants(retired, plants, 1, awaitTurn)).toMatchObject(
    Array(4).fill({ errorName: 'id_retired' }),
  );
  const away = createReversingQueue(() => fail(new ServiceError('database_unavailable', 'away')) as never);
  expect(await createPlants(away, plants, 1, awaitTurn)).toMatchObject(
    Array(4).fill({ errorName: 'database_unavailable' }),
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
  const results = await createPlants(counting, many, 1, takeTen);
  expect(results).toHaveLength(count);
  expect(turns).toEqual([25, 15, 5]);
  expect(created.filter((turn) => turn === 1)).toHaveLength(10);
});
