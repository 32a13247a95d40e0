import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { errors } from '@plant-store/contract/errors';
import { resources } from '@plant-store/contract/resources';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { toArray } from '../test/to-array.js';
import { deleteAll, getAll, type PlantId, type StoreTotals, storeAll, updateAll } from './bulk.js';
import { createClient } from './create-client.js';
import type { Fetch } from './options.js';
import { createFakePlantStore } from './testing/create-fake-plant-store.js';
import { isRejectedError } from './unwrap.js';

// No delay before a retry.
beforeEach(() => void vi.spyOn(Math, 'random').mockReturnValue(0));
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Answers a request instead of the store. */
type Change = (plants: { id: number }[], next: () => Promise<Response>) => Promise<Response>;

/** Opens a store, and records how many plants each request had. */
function open(change: Change = (_, next) => next()) {
  const store = createFakePlantStore();
  const sizes: number[] = [];
  const fetch: Fetch = (url, init) => {
    const { plants, ids } = JSON.parse(String(init.body));
    sizes.push((plants ?? ids).length);
    return change(plants, () => store.fetch(url, init));
  };
  return { store, sizes, client: createClient({ ...store, fetch, retries: 0 }) };
}

const plantsOf = (count: number, name = 'x') => Array.from({ length: count }, (_, id) => ({ id, name }));

const json = (status: number, body: object, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers });

const none = { stored: 0, replayed: 0, rejected: 0, rejections: [] };

it('stores all plants in batches, two in flight, and replays them when they are stored again', async () => {
  let inFlight = 0;
  let most = 0;
  const { client, store, sizes } = open(async (_, next) => {
    most = Math.max(most, ++inFlight);
    await new Promise((resolve) => setTimeout(resolve, 5));
    inFlight--;
    return next();
  });
  expect(await storeAll(client, plantsOf(2_500))).toEqual({ ...none, stored: 2_500 });
  expect([store.plants.size, sizes, most]).toEqual([2_500, [1_000, 1_000, 500], 2]);
  expect(await storeAll(client, plantsOf(2_500))).toEqual({ ...none, replayed: 2_500 });
});

it('accepts plants with their id as text, and as they were read', async () => {
  const { client, store } = open();
  const idText = '9007199254740993';
  const given = { idText, name: 'Fern' };
  expect(await storeAll(client, [given])).toEqual({ ...none, stored: 1 });
  expect([...store.plants.keys()]).toEqual([BigInt(idText)]);
  const read = (await getAll(client, [idText])).flatMap(({ plant }) => plant ?? []);
  expect(await storeAll(client, read)).toEqual({ ...none, replayed: 1 });
  const other = { ...given, id: 9007199254740992n };
  const { rejections } = await storeAll(client, [other]);
  expect(rejections).toMatchObject([
    { plant: other, error: 40002, message: expect.stringMatching(/ differ: /) },
  ]);
});

it('takes plants from any iterable, and no more than it sends', async () => {
  let taken = 0;
  async function* generate() {
    for (; taken < 5_000; taken++) yield { id: taken, name: 'x' };
  }
  const { client, sizes } = open(async (_, next) => {
    expect(taken).toBeLessThanOrEqual(1_000 * (sizes.length + 2));
    return next();
  });
  expect((await storeAll(client, generate())).stored).toBe(5_000);
  expect(await storeAll(client, [])).toEqual(none);
});

it.each([
  ...Object.keys(resources.plant.fields).map((field) => [field, 'x'.repeat(2 ** 18), [1, 1, 1, 1]] as const),
  // Escaped characters take more bytes.
  ['name', '\u{1}'.repeat(2 ** 15), [2, 2]] as const,
])('also divides plants by the bytes of each text: %s', async (field, text, expected) => {
  const { client, sizes } = open();
  await storeAll(
    client,
    plantsOf(4).map((plant) => ({ ...plant, [field]: text })),
  );
  expect(sizes).toEqual(expected);
});

it('returns each rejected plant with its index and reason', async () => {
  const { client } = open();
  const plants = [
    { id: 1, name: 'a' },
    { id: 1, name: 'b' },
    { id: 2, name: '\0' },
    { id: 3, name: 'c' },
  ];
  expect(await storeAll(client, plants)).toEqual({
    ...none,
    stored: 2,
    rejected: 2,
    rejections: [
      { plant: plants[1], index: 1, error: 40003, message: expect.stringContaining('different values') },
      { plant: plants[2], index: 2, error: 40002, message: expect.stringContaining('NUL') },
    ],
  });
});

it('resends only plants without a final result', async () => {
  const { client, store, sizes } = open(async (plants, next) => {
    if (sizes.length > 1) return next();
    const later = { status: 503, error: 50300, message: 'The service is overloaded.' };
    const results = plants.map(({ id }) => (id < 3 ? { status: 200, replayed: false } : later));
    return json(200, { results });
  });
  expect(await storeAll(client, plantsOf(10))).toEqual({ ...none, stored: 10 });
  expect(sizes).toEqual([10, 7]);
  expect(store.plants.size).toBe(7);
});

it('rejects plants without a final result for too long', async () => {
  const later = { status: 500, error: 50000, message: 'An unexpected error occurred.' };
  const { client, sizes } = open(async (plants) => json(200, { results: plants.map(() => later) }));
  const { rejections } = await storeAll(client, plantsOf(2), { rounds: 3 });
  expect(rejections.map(({ error }) => error)).toEqual([50000, 50000]);
  expect(sizes).toEqual([2, 2, 2, 2]);
});

it('divides a batch that is too large for the service, down to a plant that is', async () => {
  const tooLarge = { error: errors.body_too_large.error, message: 'The body is larger than 9 bytes.' };
  const { client } = open(async (plants, next) =>
    plants.length > 2 || plants.some(({ id }) => id === 4) ? json(400, tooLarge) : next(),
  );
  const rejections = [{ plant: { id: 4, name: 'x' }, index: 4, ...tooLarge }];
  expect(await storeAll(client, plantsOf(9))).toEqual({ ...none, stored: 8, rejected: 1, rejections });
});

const rateLimited = (headers: Record<string, string>) =>
  json(429, { error: errors.rate_limited.error, message: 'No.' }, headers);

/** Opens a store with a rate limit in plants per minute, as in the service. */
function openLimited(limit: number) {
  vi.useFakeTimers({ now: 0 });
  const counts: number[] = [];
  let refused = 0;
  const opened = open(async ({ length }, next) => {
    const minute = Math.floor(Date.now() / 60_000);
    const left = limit - (counts[minute] ?? 0);
    counts[minute] = (counts[minute] ?? 0) + (length > left ? 1 : length);
    if (length <= left) return next();
    refused++;
    if (length > limit) return json(400, { error: errors.batch_too_large.error, message: 'No.' });
    const seconds = String(60 - Math.floor((Date.now() % 60_000) / 1_000));
    const RateLimit = `"plants"; r=${Math.max(0, left - 1)}; t=${seconds}`;
    return rateLimited({ RateLimit, 'Retry-After': seconds });
  });
  return { ...opened, refused: () => refused };
}

/** Awaits the totals, with the minutes that this takes. */
async function runTimers(totals: PromiseLike<StoreTotals>) {
  const ended = Promise.resolve(totals);
  ended.catch(() => undefined);
  await vi.runAllTimersAsync();
  return { totals: await ended, minutes: Math.floor(Date.now() / 60_000) + 1 };
}

it.each([600, 999, 1_500])(
  'stores %d plants a minute where the rate limit permits no more',
  async (limit) => {
    const { client, store, refused } = openLimited(limit);
    const options = { retries: 2, timeoutMs: 1_000 };
    const { totals, minutes } = await runTimers(storeAll(client, plantsOf(5_000), options));
    expect(totals).toEqual({ ...none, stored: 5_000 });
    expect(store.plants.size).toBe(5_000);
    expect(minutes).toBeLessThanOrEqual(Math.ceil((5_000 + refused()) / limit));
    expect(refused()).toBeLessThanOrEqual(3 * minutes);
  },
);

it('divides a batch if it cannot read the rate limit', async () => {
  vi.useFakeTimers({ now: 0 });
  const { client, sizes } = open(async ({ length }, next) =>
    length > 300 ? rateLimited({ 'Retry-After': '60' }) : next(),
  );
  const { totals, minutes } = await runTimers(storeAll(client, plantsOf(2_000)));
  expect(totals).toEqual({ ...none, stored: 2_000 });
  expect(sizes.filter((size) => size > 300)).toHaveLength(6);
  // At most one minute for each batch.
  expect(minutes).toBeLessThanOrEqual(7);
});

it.each([{}, { 'Retry-After': '0' }, { 'Retry-After': 'soon' }])(
  'waits ten seconds after a 429 that does not say for how long: %j',
  async (headers: Record<string, string>) => {
    vi.useFakeTimers({ now: 0 });
    const { client, sizes } = open(async () => rateLimited(headers));
    const control = new AbortController();
    const ended = storeAll(client, plantsOf(1), { signal: control.signal }).then();
    await vi.advanceTimersByTimeAsync(35_000);
    control.abort(new Error('enough'));
    await expect(ended).rejects.toThrow('enough');
    expect(sizes).toEqual([1, 1, 1, 1]);
  },
);

it('pauses both batches once one of them hits the rate limit', async () => {
  vi.useFakeTimers({ now: 0 });
  const times: number[] = [];
  const { client, store } = open(async (_, next) => {
    const number = times.push(Date.now());
    if (number === 2) return rateLimited({ 'Retry-After': '30' });
    if (number === 1) await new Promise((resolve) => setTimeout(resolve, 5_000));
    return next();
  });
  await runTimers(storeAll(client, plantsOf(4_000)));
  expect(times.slice(0, 3)).toEqual([0, 0, 30_000]);
  expect(store.plants.size).toBe(4_000);
});

it('ends with the reason of a signal, and aborts batches in flight when a loop is left', async () => {
  const signals: (AbortSignal | undefined)[] = [];
  const store = createFakePlantStore();
  const fetch: Fetch = (url, init) => {
    // Only the first request gets a reply.
    if (signals.push(init.signal ?? undefined) > 1) store.fail({ kind: 'delay', ms: 3_600_000 });
    return store.fetch(url, init);
  };
  const client = createClient({ ...store, fetch, retries: 0 });
  const control = new AbortController();
  const ended = storeAll(client, plantsOf(3_000), { signal: control.signal }).then();
  await expect.poll(() => signals.length).toBeGreaterThan(1);
  control.abort(new Error('enough'));
  await expect(ended).rejects.toThrow('enough');
  for (const signal of signals.slice(1)) expect(signal?.aborted).toBe(true);

  const left = storeAll(client, [{ id: 0, name: 'another' }, ...plantsOf(2_000)]);
  signals.length = 0;
  for await (const _ of left) break;
  await expect.poll(() => signals.at(-1)?.aborted).toBe(true);
  await expect(left).rejects.toMatchObject({ name: 'AbortError' });
});

it('ends with the reason of a signal, or when a loop is left, although the source stalls', async () => {
  let isClosed = false;
  let resume: (() => void) | undefined;
  async function* stall(plants: { id: number; name: string }[]) {
    try {
      yield* plants;
      await new Promise<void>((resolve) => {
        resume = resolve;
      });
      yield* plants;
    } finally {
      isClosed = true;
    }
  }
  const { client, sizes } = open();
  const control = new AbortController();
  const ended = storeAll(client, stall(plantsOf(1)), { signal: control.signal }).catch(
    (error: unknown) => error,
  );
  await expect.poll(() => resume).toBeDefined();
  control.abort(new Error('enough'));
  expect(await ended).toEqual(new Error('enough'));
  expect([isClosed, sizes]).toEqual([false, []]);
  resume?.();
  await expect.poll(() => isClosed).toBe(true);

  const left = storeAll(client, stall(plantsOf(3_001)));
  const awaited = left.catch((error: unknown) => error);
  for await (const _ of left) break;
  expect(await awaited).toMatchObject({ name: 'AbortError' });
});

it('closes the source before the program continues after a loop that it left', async () => {
  let isClosed = false;
  async function* closable() {
    try {
      yield* plantsOf(5_000);
    } finally {
      await new Promise((resolve) => setTimeout(resolve, 5));
      isClosed = true;
    }
  }
  for await (const _ of storeAll(open().client, closable())) break;
  expect(isClosed).toBe(true);
});

it('sends nothing until it is awaited or iterated', async () => {
  const { client, sizes } = open();
  const all = [storeAll(client, plantsOf(1)), deleteAll(client, [1]), getAll(client, [1])];
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(sizes).toEqual([]);
  for (const each of all) await each.finally(() => undefined);
  expect(sizes).toEqual([1, 1, 1]);
});

/** Plants of three batches, one of each is rejected, and the totals after each. */
const threeBatches = plantsOf(2_500).map((plant) =>
  plant.id % 1_000 === 7 ? { ...plant, name: '\0' } : plant,
);
const rejections = [7, 1_007, 2_007].map((index) => expect.objectContaining({ index, error: 40002 }));
const steps = [999, 1_998, 2_497].map((stored, at) => ({
  stored,
  replayed: 0,
  rejected: at + 1,
  rejections: [rejections[at]],
}));

it('yields the totals after each batch, and resends nothing when it is awaited or iterated later', async () => {
  const { client, sizes } = open();
  const storing = storeAll(client, threeBatches);
  expect(await toArray(storing)).toEqual(steps);
  expect(await storing).toEqual({ ...steps[2], rejections });
  expect(await toArray(storing)).toEqual(steps);
  expect(sizes).toEqual([1_000, 1_000, 500]);
});

it('throws the rejection of a batch in each loop and where it is awaited, nowhere else, and sends no more', async () => {
  const unhandled = vi.fn();
  process.on('unhandledRejection', unhandled);
  const { client, store, sizes } = open();
  store.acceptTokens('another');
  const storing = storeAll(client, plantsOf(9_000));
  const ended = await Promise.allSettled([toArray(storing), toArray(storing), storing]);
  for (const each of ended)
    expect('reason' in each && isRejectedError(each.reason, errors.invalid_token.error)).toBe(true);
  expect(sizes.length).toBeLessThanOrEqual(3);
  await expect(toArray(storeAll(client, plantsOf(3_000)))).rejects.toThrow();
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(unhandled).not.toHaveBeenCalled();
  process.off('unhandledRejection', unhandled);
});

it('does not hold rejections that a loop has consumed', async () => {
  setFlagsFromString('--expose-gc');
  const { client } = open();
  const taken: WeakRef<object>[] = [];
  // Before version 26 of Node.js, a loop holds what it iterates, which leads to all steps.
  const begin = () => storeAll(client, threeBatches)[Symbol.asyncIterator]();
  for await (const step of { [Symbol.asyncIterator]: begin }) {
    taken.push(new WeakRef(step.rejections));
    await new Promise((resolve) => setTimeout(resolve));
    runInNewContext('gc')();
    expect(taken.slice(0, -1).map((reference) => reference.deref())).toEqual(
      taken.slice(1).map(() => undefined),
    );
  }
  expect(taken).toHaveLength(3);
});

/** Ids in each form: 2,500 of plants, and one that no plant ever had. */
const plants = [...plantsOf(2_499), { id: 2n ** 53n + 1n, name: 'x' }];
const ids: readonly PlantId[] = [2n ** 53n + 1n, ...Array(2_499).keys(), '0', '9007199254740992'];

it('deletes the plants with all ids in batches, and returns each id that is rejected', async () => {
  const { client, store, sizes } = open();
  await storeAll(client, plants);
  const rejections = [
    { id: ids.at(-1), index: 2_501, error: 40401, message: expect.stringContaining('There is no plant') },
    { id: '07', index: 2_502, error: 40000, message: expect.stringContaining('as a string') },
  ];
  for (const _ of ['once', 'again'])
    expect(await deleteAll(client, [...ids, '07'])).toEqual({ deleted: 2_501, rejected: 2, rejections });
  const steps = await toArray(deleteAll(client, [...ids, '07']));
  expect(steps).toEqual([
    { deleted: 1_000, rejected: 0, rejections: [] },
    { deleted: 2_000, rejected: 0, rejections: [] },
    { deleted: 2_501, rejected: 2, rejections },
  ]);
  expect([store.plants.size, sizes.slice(3, 6)]).toEqual([0, [1_000, 1_000, 503]]);
});

it('updates all plants in batches, each on its condition, and returns each that is rejected', async () => {
  const { client, store, sizes } = open();
  await storeAll(client, plantsOf(2_501));
  const found = await getAll(client, Array(2_501).keys());
  const updates = found.flatMap(({ plant, etag }) => (plant ? { ...plant, tag: 't', ifMatch: etag } : []));
  sizes.length = 0;
  const [changed, missing] = [
    { id: 7, name: 'mine', ifMatch: '"x"' },
    { idText: '-7', name: '', ifMatch: '*' },
  ];
  const rejections = [
    { plant: changed, index: 2_501, error: 41200, message: expect.stringContaining('has changed') },
    { plant: missing, index: 2_502, error: 40401, message: expect.stringContaining('There is no plant') },
  ];
  for (const _ of ['once', 'again']) {
    const totals = await updateAll(client, [...updates, changed, missing]);
    expect(totals).toEqual({ updated: 2_501, rejected: 2, rejections });
  }
  expect(sizes).toEqual([1_000, 1_000, 503, 1_000, 1_000, 503]);
  expect(new Set([...store.plants.values()].map((plant) => plant?.tag))).toEqual(new Set(['t']));
  expect(store.plants.get(7n)).toEqual({ name: 'x', tag: 't' });
});

it('fills batches of updates that all have an ETag', async () => {
  const { client, sizes } = open();
  const ifMatch = `"${'x'.repeat(22)}"`;
  await updateAll(
    client,
    plantsOf(1_000, 'n'.repeat(180)).map((plant) => ({ ...plant, ifMatch })),
  );
  expect(sizes).toEqual([1_000]);
});

it('deletes with and without conditions in the same batch', async () => {
  const bodies: unknown[] = [];
  const store = createFakePlantStore();
  const fetch: Fetch = (url, init) => {
    bodies.push(JSON.parse(String(init.body)));
    return store.fetch(url, init);
  };
  const client = createClient({ ...store, fetch });
  await storeAll(createClient(store), plantsOf(4));
  const [{ etag = '' } = {}] = await getAll(createClient(store), [0]);
  const changed = { id: '1', ifMatch: '"x"' };
  expect(await deleteAll(client, [{ id: 0, ifMatch: etag }, changed, 2n])).toEqual({
    deleted: 2,
    rejected: 1,
    rejections: [{ id: '1', index: 1, error: 41200, message: expect.stringContaining('has changed') }],
  });
  expect(await deleteAll(client, [3])).toMatchObject({ deleted: 1 });
  expect(bodies).toEqual([{ ids: ['0', '1', '2'], ifMatch: [etag, '"x"', '*'] }, { ids: ['3'] }]);
  expect([...store.plants.keys()]).toEqual([1n]);
});

it('rejects a single ID as text, because it would be read as a list of digits', async () => {
  const { client, store, sizes } = open();
  await storeAll(createClient(store), plantsOf(10));
  const message = 'Pass an array of IDs, not a string';
  // @ts-expect-error: a string is no list of IDs.
  await expect(deleteAll(client, '12')).rejects.toThrow(new TypeError(message));
  // @ts-expect-error: a string is no list of IDs.
  await expect(getAll(client, '12')).rejects.toThrow(new TypeError(message));
  expect([store.plants.size, sizes]).toEqual([10, []]);
  // Any other iterable of texts is one.
  const some: Iterable<string> | AsyncIterable<string> = new Set(['1', '2']);
  expect(await deleteAll(client, some)).toMatchObject({ deleted: 2 });
});

it('gets the plants with all ids in order, even if few fit into a reply', async () => {
  const { client, store, sizes } = open(async (_, next) => {
    const reply = await next();
    const { results } = JSON.parse(await reply.text());
    const full = { status: 503, error: errors.overloaded.error, message: 'Send this id again.' };
    return json(reply.status, {
      results: results.map((result: object, at: number) => (at % 11 === 0 ? result : full)),
    });
  });
  await storeAll(createClient(store), plants);
  const found = await toArray(getAll(client, ids, { rounds: 0 }));
  expect(found.map(({ id }) => id)).toEqual(ids);
  expect(found.map(({ plant }) => plant?.idText)).toEqual([...ids.slice(0, -1).map(String), undefined]);
  // The rate limit also counts resent plants.
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(8 * ids.length);
});

it('returns an array of each id with its plant, and gets them again for each loop', async () => {
  const { client, sizes } = open();
  await storeAll(client, plantsOf(1));
  const getting = getAll(client, [0, 7]);
  const found = [
    { id: 0, plant: expect.objectContaining({ id: 0n, name: 'x' }), etag: expect.stringMatching(/^".+"$/) },
    { id: 7, plant: undefined },
  ];
  for (const _ of ['once', 'again']) expect(await getting).toEqual(found);
  expect(await toArray(getting)).toEqual(found);
  expect(sizes).toEqual([1, 2, 2]);
});

it.each([
  ['an id that is none', errors.bad_request.error, open()],
  [
    'one that cannot be read for too long',
    errors.internal_error.error,
    open(async () =>
      json(200, { results: [{ status: 500, error: 50000, message: 'An unexpected error.' }] }),
    ),
  ],
])('throws for %s', async (_, number, { client, sizes }) => {
  const error = await getAll(client, ['x'], { rounds: 2 }).catch((thrown: unknown) => thrown);
  expect(isRejectedError(error, number)).toBe(true);
  expect(sizes).toEqual(number === errors.bad_request.error ? [1] : [1, 1, 1]);
});

it.each([2 ** 53, 1.5])('takes no number that may have been rounded: %d', async (id) => {
  const { client, sizes } = open();
  for (const all of [getAll(client, [id]), deleteAll(client, [id])])
    await expect(all).rejects.toThrow(RangeError);
  expect(sizes).toEqual([]);
});
