import type { Plant } from '@plant-store/contract';
import { type Change, isTombstone, removalOf } from '@plant-store/records';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openTestDatabase } from '../../../test/support/database/create-test-database.js';
import { enginesOfStore } from '../../../test/support/database/engines.js';
import { usePlantStore } from '../../../test/support/database/use-plant-store.js';
import { until } from '../../../test/support/until.js';
import { cleanHistory } from '../clean-history.js';

const limits = { matches: 1_000, bytes: 1e6 };
const dayMs = 86_400_000;

const rename = (id: bigint, name: string): Change<Plant> => ({
  id,
  bytes: 100,
  replace: (existing) =>
    existing === undefined || isTombstone(existing) ? undefined : { ...existing, name, original: 'o' },
});

const kinds = enginesOfStore().filter((kind) => kind !== 'citus');

describe.each(kinds)('the history of plants on %s', (kind) => {
  const { store, testDatabase } = usePlantStore(kind);
  const namesOf = async (id: bigint, of: Pick<typeof store, 'listStates'> = store) =>
    (await of.listStates(id, undefined, limits))?.states.map(({ fields }) => fields.name);
  const stored = async () =>
    (
      await testDatabase.query<{ name: string }>('SELECT name FROM plants_history ORDER BY history_place')
    ).map(({ name }) => name);
  /** Opens the database with another setting. */
  async function open(historyDays: number) {
    const database = await openTestDatabase(testDatabase, {}, {}, { historyDays });
    onTestFinished(() => database.close());
    return database.stores.plant;
  }
  const age = (name: string, days: number) =>
    testDatabase.query(
      `UPDATE plants_history SET replaced_at = ${Date.now() - days * dayMs} WHERE name = '${name}'`,
    );

  it('misses no state when several instances change a plant back and forth', async () => {
    const stores = [store, await open(Number.POSITIVE_INFINITY), await open(Number.POSITIVE_INFINITY)];
    const ids = [1n, 2n, 3n];
    await store.create(ids.map((id) => ({ id, name: 'a' })));
    const toggle = (id: bigint): Change<Plant> => ({
      id,
      bytes: 100,
      replace: (existing) =>
        existing === undefined || isTombstone(existing)
          ? undefined
          : { ...existing, name: existing.name === 'a' ? 'b' : 'a', original: 'o' },
    });
    const toggleAll = async ({ change }: Pick<typeof store, 'change'>) => {
      for (let times = 0; times < 20; times++) await change(ids.map(toggle));
    };
    // Each store acts as two callers that wait for each other.
    await Promise.all([...stores, ...stores].map(toggleAll));
    for (const id of ids) {
      const { states = [] } = (await store.listStates(id, undefined, limits)) ?? {};
      expect(states).toHaveLength(1 + 6 * 20);
      for (const [at, { fields, from }] of states.slice(0, -1).entries()) {
        expect(states[at + 1]).toMatchObject({ until: from });
        expect(states[at + 1]?.fields).not.toEqual(fields);
      }
    }
  });

  it('is not shown once it has expired, and not kept with 0 days', async () => {
    await store.create([{ id: 1n, name: 'a' }]);
    for (const name of ['b', 'c', 'd']) await store.change([rename(1n, name)]);
    await age('a', 31);
    await age('b', 29);
    expect(await namesOf(1n)).toEqual(['d', 'c', 'b', 'a']);
    expect(await namesOf(1n, await open(30))).toEqual(['d', 'c', 'b']);
    const none = await open(0);
    expect(await namesOf(1n, none)).toEqual(['d']);
    await none.change([rename(1n, 'e')]);
    expect(await stored()).not.toContain('d');
    // A delete erases states kept under another setting.
    await none.change([removalOf<Plant>(1n)]);
    expect(await stored()).toEqual([]);
  });

  it('is removed a few states at a time once it has expired', async () => {
    await store.create([{ id: 1n, name: 'a' }]);
    const renames = Array.from({ length: 600 }, (_, at) => rename(1n, at < 599 ? `old ${at}` : 'now'));
    await store.change(renames);
    expect(await store.removeOldStates()).toBe(false);
    await testDatabase.query(
      `UPDATE plants_history SET replaced_at = ${Date.now() - 31 * dayMs} - history_place WHERE name <> 'old 598'`,
    );
    const limited = await open(30);
    let steps = 0;
    while (await limited.removeOldStates()) steps++;
    expect(steps).toBe(3);
    expect(await stored()).toEqual(['old 598']);
    await store.change([rename(1n, 'later')]);
    expect(await namesOf(1n)).toEqual(['later', 'now', 'old 598']);
    const none = await open(0);
    expect(await none.removeOldStates()).toBe(true);
    expect(await stored()).toEqual([]);
  });

  it('is cleaned in the background', async () => {
    for (const id of [1n, 2n]) {
      await store.create([{ id, name: `a ${id}` }]);
      await store.change([rename(id, `b ${id}`)]);
    }
    await age('a 1', 31);
    const warn = vi.fn();
    const cleaning = cleanHistory({ plant: await open(30) }, { warn });
    await until(async () => (await stored()).length === 1);
    await cleaning.stop();
    expect(await stored()).toEqual(['a 2']);
    expect(warn).not.toHaveBeenCalled();
  });

  it.runIf(kind === 'postgresql')('is kept whoever updates a plant, such as an instance of 1.4', async () => {
    await store.create([{ id: 1n, name: 'a', addedAt: 5, addedBy: '7' }]);
    await testDatabase.query(
      `UPDATE plants SET name = 'b', original = 'o', changed_at = 6, changed_by = '8'`,
    );
    await testDatabase.query('UPDATE plants SET change_place = change_place + 1');
    expect((await store.listStates(1n, undefined, limits))?.states).toEqual([
      { fields: { name: 'b' }, place: undefined, from: 6, until: undefined, by: '8' },
      { fields: { name: 'a' }, place: expect.any(Number), from: 5, until: 6, by: '7' },
    ]);
    await testDatabase.query(`UPDATE plants SET name = '', deleted = true`);
    expect(await stored()).toEqual([]);
  });
});
