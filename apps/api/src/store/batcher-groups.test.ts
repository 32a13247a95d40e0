import type { NewPlant } from '@plant-store/contract';
import { expect, it } from 'vitest';
import { highBatcherLimits } from '../../test/support/plants/create-test-store.js';
import { ServiceError } from '../errors/service-error.js';
import type { PlantOutcome } from '../plants/plant-store.js';
import { createBatcher } from './batcher.js';

/** A plant of which nothing but the id matters. */
const plant = (id: bigint): NewPlant => ({ id, name: '' });

/** Merges inserts into a store that records its commits, and fails those for which `fail` returns an error. */
function merge(batchPlants: number, fail: (ids: readonly bigint[]) => Error | undefined = () => undefined) {
  const commits: bigint[][] = [];
  const inserts = createBatcher(
    async (plants) => {
      const ids = plants.map(({ id }) => id);
      commits.push(ids);
      await new Promise(setImmediate);
      const error = fail(ids);
      if (error !== undefined) throw error;
      // Names the plant in its outcome, to show whose it is.
      return plants.map((existing): PlantOutcome => ({ stored: false, existing }));
    },
    { ...highBatcherLimits, batchPlants },
  );
  return { inserts, commits, insert: (...ids: bigint[]) => inserts.writeAll(ids.map(plant), 1) };
}

const outcomes = (...ids: bigint[]) => ids.map((id) => ({ stored: false, existing: plant(id) }));

it('stores inserts of one turn in one commit, in order, and gives each its own outcomes', async () => {
  const { insert, commits } = merge(10);
  const results = await Promise.all([insert(1n, 2n), insert(), insert(3n)]);
  expect(results).toEqual([outcomes(1n, 2n), [], outcomes(3n)]);
  expect(commits).toEqual([[1n, 2n, 3n]]);
});

it('merges those that arrive during a commit into the next one', async () => {
  const { insert, commits } = merge(10);
  const first = insert(1n);
  while (commits.length === 0) await new Promise(setImmediate);
  await Promise.all([first, insert(2n), insert(3n)]);
  expect(commits).toEqual([[1n], [2n, 3n]]);
});

it('never exceeds the limit, except by an insert that is larger', async () => {
  const { insert, commits } = merge(2);
  await Promise.all([insert(1n), insert(2n), insert(3n), insert(4n, 5n, 6n), insert(7n)]);
  expect(commits).toEqual([[1n, 2n], [3n], [4n, 5n, 6n], [7n]]);
});

it('fails only the insert that causes an error', async () => {
  const { insert } = merge(10, (ids) => (ids.includes(2n) ? new Error('Plant 2 is invalid') : undefined));
  const results = await Promise.allSettled([insert(1n), insert(2n), insert(3n)]);
  expect(results).toEqual([
    { status: 'fulfilled', value: outcomes(1n) },
    { status: 'rejected', reason: new Error('Plant 2 is invalid') },
    { status: 'fulfilled', value: outcomes(3n) },
  ]);
});

it('fails all inserts of a commit when the database is unavailable, without a second try', async () => {
  const error = new ServiceError('database_unavailable', 'It is away');
  const { insert, commits } = merge(10, () => error);
  const results = await Promise.allSettled([insert(1n), insert(2n)]);
  expect(results).toEqual([
    { status: 'rejected', reason: error },
    { status: 'rejected', reason: error },
  ]);
  expect(commits).toEqual([[1n, 2n]]);
});

it('is idle once all inserts are done, and accepts more after that', async () => {
  const { insert, inserts, commits } = merge(1);
  await inserts.idle();
  void insert(1n);
  void insert(2n);
  await inserts.idle();
  expect(commits).toEqual([[1n], [2n]]);
  expect(await insert(3n)).toEqual(outcomes(3n));
});
