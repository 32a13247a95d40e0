import { expect, it, vi } from 'vitest';
import { collect } from '../../test/support/collect.js';
import { plantsOf } from '../../test/support/plants/plants-of.js';
import type { PlantStore } from '../plants/plant-store.js';
import { readAllPlants } from './export.js';

const plants = plantsOf(-3n, 1n, 2n, 5n, 8n);
const limits = { plants: 2, bytes: 100 };

/** Reads pages of one plant; the attempts with these numbers fail. */
function createReader(failing: readonly number[]) {
  let attempts = 0;
  return vi.fn<PlantStore['read']>(async function* (after) {
    for (const plant of plants) {
      if (after !== undefined && plant.id <= after) continue;
      if (failing.includes(++attempts)) throw new Error(`attempt ${attempts} failed`);
      yield [plant];
    }
  });
}

const retryTwice = async <Result>(readNext: () => Promise<Result>) =>
  readNext().catch(readNext).catch(readNext);

it('reads all plants in one go', async () => {
  const read = createReader([]);
  expect((await collect(readAllPlants(read, limits))).flat()).toEqual(plants);
  expect(read.mock.calls).toEqual([[undefined, limits]]);
});

it('goes on after the last plant once an attempt has failed, without leaving one out or returning it twice', async () => {
  const read = createReader([1, 3, 4, 7]);
  expect((await collect(readAllPlants(read, limits, retryTwice))).flat()).toEqual(plants);
  expect(read.mock.calls.map(([after]) => after)).toEqual([undefined, undefined, -3n, -3n, 2n]);
});

it('throws the error of the last attempt', async () => {
  const read = createReader([2, 3, 4]);
  await expect(collect(readAllPlants(read, limits, retryTwice))).rejects.toThrow('attempt 4 failed');
});
