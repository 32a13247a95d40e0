import { INT64_MAX, INT64_MIN } from '@plant-store/contract';
import { stringifyExactJson } from '@plant-store/contract/exact-json/stringify';
import { expect, it } from 'vitest';
import {
  type ListFilter,
  type ListLimits,
  type ListPosition,
  type ListQuery,
  removalOf,
} from '../../src/index.js';
import { highLimits, type Subject } from './use-store.js';

/** Pages of so many ids, each as `list` returns it. */
const pagesOf = (size: number, ids: readonly bigint[]) =>
  Array.from({ length: Math.ceil(ids.length / size) }, (_, page) =>
    ids.slice(page * size, (page + 1) * size).join(),
  );

const range = (count: number) => Array.from({ length: count }, (_, id) => BigInt(id));

/** Values of which a filter must select exactly one. */
const filterValues = {
  text: ['indoor', 'Indoor', 'indoor ', 'í', "'; --", '%', ''],
  int64: [INT64_MIN, -1n, 0n, 1n, 9007199254740992n, 9007199254740993n, INT64_MAX],
  boolean: [true, false],
  time: [],
  int64List: [],
} as const;

export function testList<Fields extends object>(subject: Subject<Fields>): void {
  const { record, withFields, createAll, fields, searched, toColumn } = subject;

  /** The ids of each page, such as `1,2`. The last page is left out if it is empty, since a store may examine all records for it. */
  async function list(limits: Partial<ListLimits>, query: Partial<ListQuery> = {}): Promise<string[]> {
    const pages: string[] = [];
    let after: ListPosition | undefined;
    do {
      const listed = await subject.store.list({ order: 'id', ...query, after }, { ...highLimits, ...limits });
      pages.push(listed.records.map(({ id }) => id).join());
      after = listed.last;
    } while (after !== undefined);
    return pages.at(-1) === '' ? pages.slice(0, -1) : pages;
  }
  /** The ids of all pages. */
  const listAll = async (query: Partial<ListQuery>, limits: Partial<ListLimits> = {}) =>
    (await list(limits, query)).filter((page) => page !== '').join();

  const createAt = (addedAt: number | null, ...ids: bigint[]) =>
    createAll(ids.map((id) => ({ ...record(id), addedAt })));
  const removeAll = (ids: readonly bigint[], retire = false) =>
    Promise.all(ids.map((id) => subject.store.change(removalOf(id, retire))));

  it('records by id, from the smallest to the largest, in pages of as many as match', async () => {
    expect(await list({})).toEqual([]);
    const ids = [INT64_MIN, -1n, 0n, 1n, 10n, 9007199254740993n, INT64_MAX];
    for (const id of ids.toReversed()) await createAt(1, id);
    for (const matches of [1, 3, 4, 1_000]) expect(await list({ matches })).toEqual(pagesOf(matches, ids));
    for (const [at, id] of ids.entries()) {
      const { records } = await subject.store.list({ order: 'id', after: { id } }, highLimits);
      expect(records.map((one) => one.id)).toEqual(ids.slice(at + 1));
    }
    const { records } = await subject.store.list({ order: 'id', after: { id: 5n } }, highLimits);
    expect(records.map((one) => one.id)).toEqual(ids.slice(4));
  });

  it('the newest records first, those of one time by descending id, and those without a time apart', async () => {
    for (const order of ['newest', 'untimed', 'oldest'] as const)
      expect(await list({}, { order })).toEqual([]);
    await createAt(null, 100n, 50n, INT64_MAX);
    await createAt(2_000, -3n, 3n);
    await createAt(1_000, INT64_MIN, 7n);
    await createAt(3_000, 0n);
    for (const matches of [1, 2, 4, 1_000]) {
      expect(await listAll({ order: 'newest' }, { matches })).toBe(`0,3,-3,7,${INT64_MIN}`);
      expect(await listAll({ order: 'untimed' }, { matches })).toBe(`${INT64_MAX},100,50`);
      expect(await listAll({ order: 'oldest' }, { matches })).toBe(`${INT64_MIN},7,-3,3,0`);
      expect(await listAll({ order: '-untimed' }, { matches })).toBe(`50,100,${INT64_MAX}`);
      expect(await listAll({ order: '-id' }, { matches })).toBe(`${INT64_MAX},100,50,7,3,0,-3,${INT64_MIN}`);
    }
  });

  const filters = fields.filter(([, { filter }]) => filter);
  it.each(filters)('records with exactly a value of %s', async (name, { kind, required }) => {
    const values = filterValues[kind];
    await createAll(values.map((value, at) => withFields(BigInt(at), { [name]: value })));
    if (!required) await createAll([record(100n)]);
    for (const [at, value] of values.entries()) {
      const equal = { [name]: [toColumn(name, value)] };
      for (const limits of [{}, { matches: 1 }]) expect(await listAll({ equal }, limits)).toBe(`${at}`);
      expect(await listAll({ equal, order: 'newest' })).toBe(`${at}`);
    }
    const all = [...values.keys(), ...(required ? [] : [100])].join();
    expect(await listAll({ equal: { [name]: undefined } })).toBe(all);
    const some = values.slice(0, 2).map((value) => toColumn(name, value));
    expect(await listAll({ equal: { [name]: some } }, { matches: 1 })).toBe('0,1');
    expect(await listAll({ equal: { [name]: some }, order: 'newest' })).toBe('1,0');
    if (required) return;
    expect(await listAll({ equal: { [name]: [null] } })).toBe('100');
    expect(await listAll({ equal: { [name]: [...some, null] } })).toBe('0,1,100');
  });

  it.runIf(searched)('records with a part of a text in any case of letters', async () => {
    const texts = ['Monstera', 'mini MONSTERA', 'Éclair 100% _x', 'fern', `${'苗'.repeat(60_000)}Ö`, ''];
    await createAll(texts.map((text, at) => withFields(BigInt(at), { [searched ?? '']: text })));
    const expected = {
      mOnStErA: '0,1',
      éclair: '2',
      'E\u0301CLAIR': '2',
      eclair: '',
      '0% _': '2',
      'o\u0308': '4',
      "'; --": '',
      '': '0,1,2,3,4,5',
    };
    for (const [q, ids] of Object.entries(expected)) {
      expect(await listAll({ q }), q).toBe(ids);
      expect(await listAll({ q }, { matches: 1 }), q).toBe(ids);
    }
    expect(await list({ matches: 1 }, { q: 'm' })).toEqual(['0', '1']);
    const optional = filters.find(([, { required }]) => !required);
    if (optional !== undefined) {
      const [name, { kind }] = optional;
      const [value] = filterValues[kind];
      const equal = { [name]: [toColumn(name, value)] };
      await createAll([withFields(9n, { [searched ?? '']: 'Moss', [name]: value })]);
      expect(await listAll({ equal, q: 'm' })).toBe('9');
      expect(await listAll({ equal, q: 'e' })).toBe('');
    }
  });

  it('records that were stored from a time on, and before a time, in either order', async () => {
    await createAt(null, 9n);
    for (const time of [-1_000, 0, 1_000, 2_000, 3_000]) await createAt(time, BigInt(time), BigInt(time + 1));
    const ranges: [Partial<ListQuery>, string][] = [
      [{ addedFrom: 1_000, addedBefore: 3_000 }, '1000,1001,2000,2001'],
      [{ addedFrom: 1_001, addedBefore: 3_001 }, '2000,2001,3000,3001'],
      [{ addedFrom: 2_001 }, '3000,3001'],
      [{ addedBefore: 0 }, '-1000,-999'],
      [{ addedFrom: 3_000, addedBefore: 3_000 }, ''],
    ];
    for (const [query, ids] of ranges) {
      for (const limits of [{ matches: 1 }, { matches: 3 }, { matches: 1_000 }]) {
        const found = ids === '' ? [] : ids.split(',').map(BigInt);
        expect(await list(limits, query)).toEqual(pagesOf(limits.matches, found));
        const newest = await list(limits, { ...query, order: 'newest' });
        expect(newest).toEqual(pagesOf(limits.matches, found.toReversed()));
        expect(await listAll({ ...query, order: 'untimed' }, limits)).toBe('');
      }
    }
  });

  it('a record in its new place once its time has changed', async () => {
    for (const time of [1, 2, 3]) await createAt(time, BigInt(time));
    expect(await listAll({ order: 'newest' })).toBe('3,2,1');
    const change = (addedAt: number | null) =>
      subject.store.change({ id: 2n, bytes: 100, replace: () => ({ ...record(2n), addedAt }) });
    await change(4);
    expect(await listAll({ order: 'newest' })).toBe('2,3,1');
    await change(0);
    expect(await listAll({ order: 'newest' })).toBe('3,1,2');
    await change(null);
    expect(await listAll({ order: 'newest' })).toBe('3,1');
    expect(await listAll({ order: 'untimed' })).toBe('2');
  });

  it.runIf(searched)('full pages of the few that match among many', async () => {
    const ids = range(600);
    await createAll(
      ids.map((id) => withFields(id, { [searched ?? '']: id % 100n === 99n ? 'rare' : 'often' })),
    );
    expect(await list({ matches: 4 }, { q: 'RARE' })).toEqual(['99,199,299,399', '499,599']);
    expect(await list({}, { q: 'none' })).toEqual([]);
  });

  it.runIf(searched)('an early end where it takes too long, after at least one record', async () => {
    const ids = range(400);
    await createAll(ids.map((id) => withFields(id, { [searched ?? '']: `Ä${id}` })));
    for (const order of ['id', 'oldest'] as const) {
      const found: bigint[] = [];
      const positions = new Set<string>();
      let after: ListPosition | undefined;
      do {
        const limits = { ...highLimits, durationMs: 0 };
        const { records, last } = await subject.store.list({ order, q: 'ä39', after }, limits);
        found.push(...records.map(({ id }) => id));
        after = last;
        // Each part gets further, in the order of the list or in a search of all.
        const position = stringifyExactJson({ ...after });
        expect(positions).not.toContain(position);
        positions.add(position);
      } while (after !== undefined);
      expect(found.toSorted((a, b) => Number(a - b))).toEqual([39n, ...range(400).slice(390)]);
    }
  });

  it.runIf(searched)('records by the beginning of a text, whatever its case, forth and back', async () => {
    const texts = [
      'b',
      'A',
      'a',
      '',
      'B',
      'Éclair',
      'eclair',
      '🌱',
      '\uffee',
      'ﬁg',
      'a'.repeat(70),
      `${'a'.repeat(70)}b`,
    ];
    await createAll(texts.map((text, id) => withFields(BigInt(id), { [searched ?? '']: text })));
    const order = searched ?? '';
    const expected = '3,1,2,10,11,0,4,6,9,5,8,7';
    for (const matches of [1, 2, 5, 1_000]) {
      expect(await listAll({ order }, { matches })).toBe(expected);
      expect(await listAll({ order: `-${order}` }, { matches })).toBe(
        expected.split(',').toReversed().join(),
      );
    }
    expect(await listAll({ order, q: 'A' }, { matches: 2 })).toBe('1,2,10,11,6,5');
  });

  it('no deleted record, and fills the page, as far as the limits allow', async () => {
    const ids = range(100);
    await createAt(1, ...ids);
    const kept = ids.filter((id) => id % 10n === 9n);
    await removeAll(ids.filter((id) => !kept.includes(id)));
    await removeAll([200n], true);
    for (const matches of [2, 4]) expect(await list({ matches })).toEqual(pagesOf(matches, kept));
    expect(await listAll({ order: 'newest' }, { matches: 2 })).toBe(kept.toReversed().join());
    expect(await listAll({ order: 'untimed' })).toBe('');
  });

  it.runIf(searched)(
    'no page with more bytes of fields than the limit, but at least one record',
    async () => {
      const texts = ['🌱'.repeat(1_000), '苗'.repeat(1_000), 'é'.repeat(1_000)];
      await createAll(texts.map((text, at) => withFields(BigInt(at + 1), { [searched ?? '']: text })));
      // Of 4, 3, and 2 kB, and what the other fields have.
      expect(await list({ bytes: 0 })).toEqual(['1', '2', '3']);
      expect(await list({ bytes: 4_900 })).toEqual(['1', '2', '3']);
      expect(await list({ bytes: 6_900 })).toEqual(['1', '2,3']);
      for (const matches of [3, 1_000]) expect(await list({ bytes: 8_900, matches })).toEqual(['1,2', '3']);
      expect(await list({ bytes: 9_900 })).toEqual(['1,2,3']);
      await removeAll([1n]);
      expect(await list({ matches: 2, bytes: 3_900 })).toEqual(['2', '3']);
      expect(await list({ matches: 2, bytes: 5_900 })).toEqual(['2,3']);
    },
  );

  const counted = fields.filter(([, { kind, filter }]) => kind === 'text' && filter);
  it.runIf(counted.length > 0)('how many records have each value, in the order of the values', async () => {
    const [[name, { required }] = ['', {}]] = counted;
    const count = async (after: string | undefined, maxValues: number) => {
      const { counts, hasMore } = await subject.store.countValues(name, after, maxValues);
      return [counts.map(([value, records]) => `${value}${records}`).join(), hasMore];
    };
    expect(await count(undefined, 10)).toEqual(['', false]);
    const texts = ['a', required ? 'c' : undefined, 'b', 'a', '', 'a', 'gone', 'B', '🌱', '\uffee'];
    await createAll(
      texts.map((text, id) => withFields(BigInt(id), text === undefined ? {} : { [name]: text })),
    );
    await removeAll([6n]);
    const rest = required ? 'b1,c1' : 'b1';
    expect(await count(undefined, 10)).toEqual([`1,B1,a3,${rest},\uffee1,🌱1`, false]);
    expect(await count(undefined, 2)).toEqual(['1,B1', true]);
    expect(await count('B', 1)).toEqual(['a3', true]);
    expect(await count('\uffee', 1)).toEqual(['🌱1', false]);
  });

  it('how many records match', async () => {
    const countAll = (filter: ListFilter = {}) => subject.store.countAll(filter);
    expect(await countAll()).toMatchObject({ count: 0, isEstimate: false });
    await createAt(1_000, ...range(20));
    await createAt(2_000, 30n, 31n);
    await removeAll([1n, 30n]);
    await removeAll([100n], true);
    expect(await countAll()).toMatchObject({ count: 20, isEstimate: false });
    expect(await countAll({ addedFrom: 1_500 })).toMatchObject({ count: 1, isEstimate: false });
    if (searched === undefined) return;
    await createAll([withFields(200n, { [searched]: 'xyzzy' })]);
    expect(await countAll({ q: 'XYZ' })).toMatchObject({ count: 1, isEstimate: false });
  });

  it('each record once, and no older one too few, while others are stored', async () => {
    const old = Array.from({ length: 60 }, (_, index) => BigInt(10 * index));
    await createAll(old.map((id) => record(id)));
    let isDone = false;
    const adding = (async () => {
      for (let id = 1n; !isDone && id < 600n; id += 7n) {
        await subject.store.create(record(id));
        await new Promise((resolve) => setTimeout(resolve));
      }
    })();
    for (const order of ['id', 'newest'] as const) {
      const ids = (await listAll({ order }, { matches: 3 })).split(',').map(BigInt);
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).toEqual(expect.arrayContaining(old));
    }
    isDone = true;
    await adding;
  });
}
