import { plantFieldNames } from '@plant-store/contract/fields';
import type { NewPlant } from '@plant-store/contract/operations';
import { expect, it } from 'vitest';
import { createRandom } from './random.js';
import { createConflict, createPlantSource } from './random-plants.js';

it('creates plants of unique ids over all of int64, the same for the same seed', () => {
  const [some, same, others] = [1, 1, 2].map((seed) => {
    const createPlant = createPlantSource(createRandom(seed));
    return Array.from({ length: 5_000 }, createPlant);
  });
  const ids = (some ?? []).map(({ id }) => id);
  expect(same).toEqual(some);
  expect(others).not.toEqual(some);
  expect(new Set(ids).size).toBe(5_000);
  expect(ids.every((id) => id === BigInt.asIntN(64, id))).toBe(true);
  expect(ids.filter((id) => id < 0n).length).toBeGreaterThan(1_000);
  expect(ids).toContain(2n ** 63n - 1n);
  expect(ids.filter((id) => BigInt(Number(id)) !== id).length).toBeGreaterThan(2_000);
});

it('a conflict has the id of the plant, and another text in one of its fields, whichever', () => {
  const random = createRandom(1);
  for (const tag of [undefined, '', 'houseplant']) {
    const plant: NewPlant = { id: 1n, name: 'Fern', tag };
    const conflicts = Array.from({ length: 50 }, () => createConflict(plant, random));
    const differing = conflicts.map((conflict) =>
      plantFieldNames.filter((name) => conflict[name] !== plant[name]).join(),
    );
    expect(new Set(conflicts.map(({ id }) => id))).toEqual(new Set([1n]));
    expect(new Set(differing)).toEqual(new Set(plantFieldNames));
  }
});
