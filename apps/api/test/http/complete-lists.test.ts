import { expect, inject, it } from 'vitest';
import { postPlant, sendJson } from '../support/post-plant.js';
import { startTestService, type TestService, useTestService } from '../support/start-test-service.js';
import { until } from '../support/until.js';

type Item = Readonly<Record<string, unknown>>;

interface Page {
  readonly next?: string;
  readonly [list: string]: unknown;
}

/** Reads a list as clients do: many stop at the first page without `next`, and as many at the first empty one. */
async function readList({ baseUrl, token }: TestService, path: string, member: string) {
  const all: Item[] = [];
  const url = new URL(path, baseUrl);
  for (;;) {
    const reply = await fetch(url, { headers: { Authorization: `Bearer ${token}` } });
    expect(reply.status).toBe(200);
    const page = JSON.parse(await reply.text()) as Page;
    const items = page[member] as readonly Item[];
    all.push(...items);
    if (page.next === undefined || items.length === 0) {
      // A follower always has a next page, so an empty page ends its list.
      if (member !== 'changes') expect(page, path).not.toHaveProperty('next');
      return all;
    }
    url.searchParams.set('after', page.next);
  }
}

interface Row {
  readonly id: unknown;
  readonly name: string;
  readonly tag: string | null;
  readonly deleted: unknown;
}

/** Adds rows as version 1.2 stored plants, without a time and a number of a change. */
function insertOld(first: number, count: number) {
  const rows = Array.from({ length: count }, (_, at) => first + at).map(
    (id) =>
      `(${id}, '${id % 4_000 === 7 ? 'rara' : 'Fern'} ${id}', ${id % 3 === 0 ? 'NULL' : `'tag ${id % 7}'`})`,
  );
  return service.database.query(`INSERT INTO plants (id, name, tag) VALUES ${rows.join(', ')}`);
}

const sortings = ['id', '-id', 'newest', 'oldest', 'name', '-name'];

const service = useTestService({ RATE_LIMIT_PER_MINUTE: '1000000' });

it('has all of every list of a large store with old, updated, and deleted rows', async () => {
  for (let first = 1_000; first < 17_000; first += 4_000) await insertOld(first, 4_000);
  for (let id = 1; id <= 60; id++) await postPlant(service, { id, name: `Fern ${id}`, tag: `tag ${id % 7}` });
  for (let id = 1; id <= 30; id++)
    await sendJson(service, `PUT /plants/${id}`, { name: `Rose ${id}`, tag: 'rare' }, { 'If-Match': '*' });
  for (let id = 20; id <= 50; id++) await sendJson(service, `DELETE /plants/${id}`);
  const rows = await service.database.query<Row>('SELECT id, name, tag, deleted FROM plants');
  const present = rows.filter(({ deleted }) => !Number(deleted));
  const toIds = (all: readonly { readonly id?: unknown }[]) =>
    all.map(({ id }) => Number(id)).toSorted((a, b) => a - b);
  const lists: readonly [query: string, matches: (row: Row) => boolean][] = [
    ...sortings.map((order): [string, () => boolean] => [`order=${order}&limit=1000`, () => true]),
    ['tag=rare&limit=7', ({ tag }) => tag === 'rare'],
    ['tag=absent', () => false],
    ['tags=rare&tags=tag%203&order=newest', ({ tag }) => tag === 'rare' || tag === 'tag 3'],
    ['without=tag&limit=1000', ({ tag }) => tag === null],
    ['q=RARA&limit=2', ({ name }) => name.startsWith('rara')],
    ['q=rara&order=newest', ({ name }) => name.startsWith('rara')],
    ['q=absent', () => false],
    ['q=rose&tag=rare&limit=3', ({ name, tag }) => name.startsWith('Rose') && tag === 'rare'],
    ['addedFrom=2200-01-01T00:00:00Z', () => false],
  ];
  for (const [query, matches] of lists) {
    const plants = await readList(service, `/plants?${query}`, 'plants');
    expect(toIds(plants), query).toEqual(toIds(present.filter(matches)));
  }
  const tags = (await readList(service, '/tags', 'tags')) as { tag: string; plants: number }[];
  const tagged = Map.groupBy(
    present.filter(({ tag }) => tag !== null),
    ({ tag }) => tag,
  );
  expect(Object.fromEntries(tags.map(({ tag, plants }) => [tag, plants]))).toEqual(
    Object.fromEntries([...tagged].map(([tag, { length }]) => [tag, length])),
  );
  const changed = async () => toIds(await readList(service, '/changes?after=0&limit=1000', 'changes'));
  // On PostgreSQL, changes are shown once older transactions have ended, which may be those of other tests.
  await until(async () => (await changed()).length === rows.length);
  expect(await changed()).toEqual(toIds(rows));
});

it.runIf(inject('workers') === 1)('has all tokens, and all of the audit', async () => {
  const other = await startTestService();
  for (let at = 0; at < 250; at++) await other.accessTokens.issue({ name: `shop ${at}`, scopes: ['read'] });
  const { secret: token } = await other.accessTokens.issue({ name: 'ops', scopes: ['admin'] });
  const admin = { ...other, token };
  expect(await readList(admin, '/tokens', 'tokens')).toHaveLength(252);
  const entries = (await readList(admin, '/audit?limit=20', 'entries')) as { number: number }[];
  expect(entries.length).toBeGreaterThanOrEqual(251);
  expect(new Set(entries.map(({ number }) => number)).size).toBe(entries.length);
});
