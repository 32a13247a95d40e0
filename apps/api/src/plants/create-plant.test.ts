import { expect, it } from 'vitest';
import { createPlant } from './create-plant.js';
import type { CreatePlantOutcome, StoredPlant } from './plant-store.js';

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
