import { expect, it } from 'vitest';
import { resolveInsertOutcomes } from './resolve-insert-outcomes.js';

it('rejects a delete that the database silently ignores', async () => {
  const tombstone = { id: 1n, deleted: true } as const;
  const outcomes = resolveInsertOutcomes([tombstone], new Set(), async () => [{ id: 1n, name: 'Fern' }]);
  await expect(outcomes).rejects.toThrow('The plant 1 was not deleted');
  expect(await resolveInsertOutcomes([tombstone], new Set(), async () => [tombstone])).toEqual([
    { stored: false, existing: tombstone },
  ]);
});
