import type { ChangePosition, ListLimits } from '@plant-store/records';
import { describe, expect, it } from 'vitest';
import { openTestDatabase } from '../../../test/support/database/create-test-database.js';
import { enginesOfStore } from '../../../test/support/database/engines.js';
import { usePlantStore } from '../../../test/support/database/use-plant-store.js';
import type { StoredPlant } from '../../../test/support/plants/plants-of.js';
import { plantsOf } from '../../../test/support/plants/plants-of.js';

const high = { matches: 1_000, bytes: 1e6 };

describe.each(enginesOfStore())('changes on %s', (kind) => {
  const { store, testDatabase } = usePlantStore(kind);
  const rename = (id: bigint, name: string) =>
    store.change([
      { id, bytes: 0, replace: (plant) => ({ ...(plant as StoredPlant), name, original: 'before' }) },
    ]);
  const readGeneration = async () => {
    const [row] = await testDatabase.query<{ generation: string }>('SELECT generation FROM store');
    return row?.generation ?? '';
  };
  const expectExpired = (position: ChangePosition) =>
    expect(store.listChanges(position, high)).rejects.toMatchObject({ errorName: 'cursor_expired' });
  /** Invalidates cursors over another connection, as the command does, without the open store noticing. */
  async function invalidateCursors() {
    const other = await openTestDatabase(testDatabase);
    await other.invalidateCursors();
    await other.close();
  }
  /** Reads all pages of changes after a position, and returns ids and names. */
  async function follow(after?: ChangePosition, limits: ListLimits = high) {
    const seen: string[] = [];
    let last: ChangePosition | undefined = after;
    for (let hasMore = true; hasMore; ) {
      const page = await store.listChanges(last, limits);
      for (const { record } of page.changes)
        seen.push(`${record.id} ${'deleted' in record ? 'deleted' : record.name}`);
      ({ last, hasMore } = page);
    }
    if (last === undefined) throw new Error('There is no page');
    return { seen, last };
  }

  // On SQLite, all rows have a number since version 1.5.
  it.skipIf(kind === 'sqlite')(
    'begins with the plants of earlier versions, which have no number, until they change',
    async () => {
      await store.create(plantsOf(...Array(30).keys()));
      await testDatabase.query('UPDATE plants SET change_place = NULL WHERE id % 2 = 0');
      const limits = { ...high, matches: 4 };
      const first = await store.listChanges(undefined, limits);
      await rename(0n, 'seen and changed');
      await rename(28n, 'changed before it was seen');
      const names = first.changes.map(({ record }) => `${record.id}`);
      const rest = (await follow(first.last, limits)).seen.map((line) => line.split(' ')[0]);
      const even = Array.from({ length: 14 }, (_, at) => `${2 * at}`);
      const odd = Array.from({ length: 15 }, (_, at) => `${2 * at + 1}`);
      expect([...names, ...rest]).toEqual([...even, ...odd, '0', '28']);
    },
  );

  it('returns positions as in version 1.4 for a store from that version, until cursors are invalidated', async () => {
    await store.create(plantsOf(1));
    await testDatabase.query('UPDATE store SET accepts_old_cursors = (1 = 1)');
    const { last } = await follow();
    expect(last).toMatchObject({ generation: '', number: expect.any(Number) });
    await store.create(plantsOf(2));
    expect((await follow(last)).seen).toEqual(['2 plant 2']);
    await expectExpired({ generation: await readGeneration(), id: 1n });
    await invalidateCursors();
    expect((await store.lastChange()).generation).toBe(await readGeneration());
    await expectExpired(last);
  });
});
