import { randomBytes } from 'node:crypto';
import type { ListLimits, ListPosition, ListQuery } from '@plant-store/records';
import { describe, expect, it } from 'vitest';
import { enginesOfStore } from '../../../test/support/database/engines.js';
import { usePlantStore } from '../../../test/support/database/use-plant-store.js';

/** Limits that no test reaches by accident. */
const highLimits: ListLimits = { matches: 1_000, bytes: 2 ** 22 };

describe.each(enginesOfStore())('finding and listing plants on %s', (kind) => {
  const { store } = usePlantStore(kind);

  /** The ids of each page, such as `1,2`. */
  async function list(limits: Partial<ListLimits>, query: Partial<ListQuery> = {}): Promise<string[]> {
    const pages: string[] = [];
    let after: ListPosition | undefined;
    do {
      const listed = await store.list({ order: 'id', ...query, after }, { ...highLimits, ...limits });
      pages.push(listed.records.map(({ id }) => id).join());
      after = listed.last;
    } while (after !== undefined);
    return pages;
  }
  /** The ids of all pages. */
  const listAll = async (query: Partial<ListQuery>, limits: Partial<ListLimits> = {}) =>
    (await list(limits, query)).filter((page) => page !== '').join();

  it('finds a single text among many that the engine cannot fold', async () => {
    const names = [...Array(2_500).fill('ж'), 'Ѫ'];
    await store.create(names.map((name, id) => ({ id: BigInt(id), name })));
    expect(await listAll({ q: 'ѫ' })).toBe('2500');
    const pages = await list({ durationMs: 0 }, { q: 'ѫ' });
    expect([pages.length > 2, pages.join('')]).toEqual([true, '2500']);
  });

  it('finds and counts texts of any length, also those that are too long for an index', async () => {
    // Random, because PostgreSQL compresses the texts of an index.
    const tags = [100, 2_000, 2_001, 3_000, 1_000_000].map((size) =>
      randomBytes(size).toString('hex').slice(0, size),
    );
    await store.create(tags.map((tag, id) => ({ id: BigInt(id), name: 'Fern', tag })));
    for (const [id, tag] of tags.entries()) expect(await listAll({ equal: { tag: [tag] } })).toBe(`${id}`);
    expect(await listAll({ equal: { tag: tags }, order: '-id' })).toBe('4,3,2,1,0');
    expect(await listAll({ equal: { tag: [null] } })).toBe('');
    expect(await store.countAll({ equal: { tag: tags } })).toMatchObject({ count: tags.length });
    const { counts } = await store.countValues('tag', undefined, 10);
    expect(counts).toEqual(tags.toSorted().map((tag) => [tag, 1]));
  });

  it('finds a few among many, in each order, also if plants change in the meantime', async () => {
    const plants = Array.from({ length: 12_000 }, (_, at) => ({
      id: BigInt((at * 7_919) % 12_000),
      name: at % 3_000 === 7 ? 'rara' : 'Fern',
      ...(at % 2 === 0 && { tag: 'even' }),
      ...(at % 5 !== 0 && { addedAt: at }),
    }));
    for (let at = 0; at < plants.length; at += 1_000) await store.create(plants.slice(at, at + 1_000));
    const found = plants.filter(({ name }) => name === 'rara');
    const byId = found.map(({ id }) => id).toSorted((a, b) => Number(a - b));
    const byTime = found.map(({ id }) => id);
    for (const limits of [{}, { matches: 1 }, { matches: 3, durationMs: 0 }]) {
      expect(await listAll({ q: 'RARA' }, limits)).toBe(byId.join());
      expect(await listAll({ q: 'rara', order: '-id' }, limits)).toBe(byId.toReversed().join());
      expect(await listAll({ q: 'rara', order: 'oldest' }, limits)).toBe(byTime.join());
      expect(await listAll({ q: 'rara', order: 'newest' }, limits)).toBe(byTime.toReversed().join());
      expect(await listAll({ q: 'rara', equal: { tag: ['even'] } }, limits)).toBe('');
      expect(await listAll({ q: 'absent' }, limits)).toBe('');
    }
    expect(await store.countAll({ q: 'rara' })).toMatchObject({ count: 4, isEstimate: false });
    const { count, isEstimate } = await store.countAll({ q: 'fern' });
    expect([count > 11_000 && count < 13_000, isEstimate]).toEqual([true, kind !== 'sqlite']);
    // After each part of the search, one match is changed, and one other plant becomes a match.
    const ids: bigint[] = [];
    let after: ListPosition | undefined;
    const rename = (id: bigint, name: string) =>
      store.change([
        {
          id,
          bytes: 0,
          replace: (before) => (before !== undefined && 'name' in before ? { ...before, name } : undefined),
        },
      ]);
    do {
      const page = await store.list({ order: 'id', q: 'rara', after }, { ...highLimits, durationMs: 0 });
      ids.push(...page.records.map(({ id }) => id));
      after = page.last;
      await rename(byId.at(-1) ?? 0n, `rara ${ids.length}`);
      if (ids.length === 0) await rename(11_999n, 'rara');
    } while (after !== undefined);
    // PostgreSQL has found all by one statement.
    expect(ids).toEqual(kind === 'sqlite' ? [...byId, 11_999n] : byId);
  });
});
