import { plantFieldNames } from '@plant-store/contract/fields';
import { expect, it } from 'vitest';
import { createConflict, createPlantSource, createRandom } from './plants.js';

it('creates plants of unique ids over all of int64, the same for the same seed', () => {
  const [some = [], same, others] = [1, 1, 2].map((seed) =>
    Array.from({ length: 5_000 }, createPlantSource(createRandom(seed))),
  );
  const ids = some.map(({ id }) => id);
  expect(same).toEqual(some);
  expect(others).not.toEqual(some);
  expect(new Set(ids).size).toBe(5_000);
  expect(ids.every((id) => id === BigInt.asIntN(64, id))).toBe(true);
  expect(ids.filter((id) => id < 0n).length).toBeGreaterThan(1_000);
  expect(ids).toContain(2n ** 63n - 1n);
  expect(ids.filter((id) => BigInt(Number(id)) !== id).length).toBeGreaterThan(2_000);
});

it.each([undefined, '', 'houseplant'])('a conflict differs in one field, whichever, of a tag %j', (tag) => {
  const random = createRandom(1);
  const plant = { id: 1n, name: 'Fern', tag };
  const differing = Array.from({ length: 50 }, () => createConflict(plant, random)).map((conflict) => {
    expect(conflict.id).toBe(1n);
    return plantFieldNames.filter((name) => conflict[name] !== plant[name]).join();
  });
  expect(new Set(differing)).toEqual(new Set(plantFieldNames));
});
