import type {
  CreateResult,
  DeleteResult,
  GetResult,
  NewPlantInput,
  PlantUpdate,
  StoredPlant,
  UpdateResult,
} from '@plant-store/contract/operations';
import type { Client, ReplyOf } from './client.js';
import { createIterablePromise, type IterablePromise } from './iterable-promise.js';
import type { CallOptions } from './options.js';
import type { Reply } from './read-reply.js';
import { delay } from './timeout.js';
import { ensureSuccess, RejectedError } from './unwrap.js';

/** How `storeAll`, `getAll`, `updateAll` or `deleteAll` sends batches, and the options of its calls. */
export interface BulkOptions extends CallOptions {
  /** How often the client resends plants that the service cannot store, get, update, or delete at the moment. Default: 10. */
  readonly rounds?: number | undefined;
}

/** How many plants had each outcome: so far while you iterate, in the end when you await. */
export interface StoreTotals<Given extends NewPlantInput = NewPlantInput> {
  /** Stored now. */
  readonly stored: number;
  /** Stored before: the same plant was there already. */
  readonly replayed: number;
  readonly rejected: number;
  /** Those of the last batch while you iterate, all of them when you await. In the order of the plants. */
  readonly rejections: readonly RejectedPlant<Given>[];
}

/** How many plants had each outcome: so far while you iterate, in the end when you await. */
export interface UpdateTotals<Given extends PlantUpdate = PlantUpdate> {
  /** Updated now, or already as sent. */
  readonly updated: number;
  readonly rejected: number;
  /** Those of the last batch while you iterate, all of them when you await. In the order of the plants. */
  readonly rejections: readonly RejectedPlant<Given>[];
}

/** How many ids had each outcome: so far while you iterate, in the end when you await. */
export interface DeleteTotals {
  /** Deleted now or before. */
  readonly deleted: number;
  readonly rejected: number;
  /** Those of the last batch while you iterate, all of them when you await. In the order of the ids. */
  readonly rejections: readonly RejectedId[];
}

/** Why the service rejected an item. */
interface Rejection {
  /** Its index in the input, from 0. */
  readonly index: number;
  /** A number of the table `errors`. */
  readonly error: number;
  readonly message: string;
}

/** A plant that was not stored or updated, and why. */
export interface RejectedPlant<Given extends NewPlantInput = NewPlantInput> extends Rejection {
  readonly plant: Given;
}

/** An id: a `number` as far as it is exact, a `bigint`, or its digits as text, such as an `idText`. */
export type PlantId = number | bigint | string;

/** An id whose plant is deleted only if it still has this `ETag`. */
export interface ConditionalId {
  readonly id: PlantId;
  /** The `etag` of a reply, or of a plant from `getAll`. */
  readonly ifMatch: string;
}

/** An id with its plant and the plant's `ETag`, or without both if there is no such plant. */
export type FoundPlant = { readonly id: PlantId } & (
  | { readonly plant: StoredPlant; readonly etag: string }
  | { readonly plant: undefined; readonly etag?: undefined }
);

/** An id whose plant was not deleted, and why. */
export interface RejectedId extends Rejection {
  readonly id: PlantId;
}

/** An `object`, because a single ID as text would be a list of its digits. */
type Many<Item> = (Iterable<Item> | AsyncIterable<Item>) & object;

/**
 * Stores any number of plants in batches, two at a time. Await it for the totals and all rejections, or iterate it for the totals so far
 * and the rejections of each batch. Nothing is sent until you do either. You can do both, in any order: each plant is sent once, and
 * awaiting gives the same totals. Leaving a loop early aborts the batches in flight, and awaiting rejects with an `AbortError` then.
 *
 * It takes no more plants than it sends, so it needs little memory however many there are. Awaiting holds the rejections. A loop holds
 * none in Node.js 26, unless you keep what `storeAll` returned in a variable. Earlier versions hold them until the loop ends.
 *
 * You can store the same plants again after any failure: plants that are already stored are replayed, and stored only once. Plants that the
 * service cannot store at the moment are resent after a delay.
 *
 * If the rate limit rejects a batch (429), it sends as many of its plants as the limit still permits, and the rest after `Retry-After` (RFC
 * 9110, section 10.2.3), as often as needed: only `signal` ends it. `timeoutMs` limits one call.
 *
 * @throws {RejectedError} when the service rejects a batch as a whole, such as for its token, and whatever a call of the client
 *   rejects with; batches in flight are aborted then
 *
 * @example
 * import { createClient, storeAll } from '@plant-store/client';
 *
 * const client = createClient({ baseUrl: 'http://127.0.0.1:3000', token: 'pst_…' });
 * const plants = [{ id: 11_002, name: 'Fern' }, { id: 11_003, name: 'Ivy', tag: 'climber' }];
 * const { stored, rejections } = await storeAll(client, plants);
 * console.log(`${stored} stored`);
 * for (const { plant, message } of rejections) console.error(plant.id, message);
 */
export function storeAll<Given extends NewPlantInput>(
  client: Pick<Client, 'createPlants'>,
  plants: Many<Given>,
  options: BulkOptions = {},
): IterablePromise<StoreTotals<Given>, StoreTotals<Given>> {
  const create: Send<Given, CreateResult> = (some, call) =>
    client.createPlants({ ...call, body: { plants: some } });
  const counts = { stored: 0, replayed: 0, rejected: 0 };
  return runOnce(plants, create, options, counts, ({ item: plant, index, result }) => {
    if ('error' in result) return { plant, index, error: result.error, message: result.message };
    counts[result.replayed ? 'replayed' : 'stored']++;
    return undefined;
  });
}

/**
 * Updates any number of plants in batches, two at a time, each only if it still has the `ETag` in its `ifMatch`. Await it for the totals
 * and all rejections, or iterate it for the totals so far and the rejections of each batch, as with `storeAll`. Nothing is sent until you
 * do either.
 *
 * It replaces all fields: also pass the unchanged ones. It rejects plants that have changed since (`precondition_failed`), and IDs without
 * a plant. You can send the same updates again after any failure: a plant that is already as sent is updated.
 *
 * @throws {RejectedError} as `storeAll` does
 *
 * @example
 * import { createClient, getAll, updateAll } from '@plant-store/client';
 *
 * const client = createClient({ baseUrl: 'http://127.0.0.1:3000', token: 'pst_…' });
 * const found = await getAll(client, [11_002, 11_003]);
 * const updates = found.flatMap(({ plant, etag }) => (plant ? { ...plant, tag: 'fern', ifMatch: etag } : []));
 * const { updated, rejections } = await updateAll(client, updates);
 * console.log(`${updated} updated`);
 * for (const { plant, message } of rejections) console.error(plant.id, message);
 */
export function updateAll<Given extends PlantUpdate>(
  client: Pick<Client, 'updatePlants'>,
  plants: Many<Given>,
  options: BulkOptions = {},
): IterablePromise<UpdateTotals<Given>, UpdateTotals<Given>> {
  const update: Send<Given, UpdateResult> = (some, call) =>
    client.updatePlants({ ...call, body: { plants: some } });
  const counts = { updated: 0, rejected: 0 };
  return runOnce(plants, update, options, counts, ({ item: plant, index, result }) => {
    if ('error' in result) return { plant, index, error: result.error, message: result.message };
    counts.updated++;
    return undefined;
  });
}

/**
 * Deletes the plants with any number of ids in batches, two at a time. Await it for the totals and all rejections, or iterate it for the
 * totals so far and the rejections of each batch, as with `storeAll`. Nothing is sent until you do either.
 *
 * With `{ id, ifMatch }` in place of an id, it deletes the plant only if it still has this `ETag`. It rejects those that have changed since
 * (`precondition_failed`), ids that no plant ever had, and texts that are no id. You can delete the same ids again after any failure.
 *
 * @throws {RejectedError} as `storeAll` does
 * @throws {TypeError} for a single ID as text, which would be a list of its digits
 * @throws {RangeError} for a `number` that may have been rounded; plants of batches in flight may be deleted then
 *
 * @example
 * import { createClient, deleteAll } from '@plant-store/client';
 *
 * const client = createClient({ baseUrl: 'http://127.0.0.1:3000', token: 'pst_…' });
 * const { deleted, rejections } = await deleteAll(client, [11_002, 9007199254740993n]);
 * console.log(`${deleted} deleted`);
 * for (const { id, message } of rejections) console.error(id, message);
 */
export function deleteAll(
  client: Pick<Client, 'deletePlants'>,
  ids: Many<PlantId | ConditionalId>,
  options: BulkOptions = {},
): IterablePromise<DeleteTotals, DeleteTotals> {
  const remove: Send<PlantId | ConditionalId, DeleteResult> = (some, call) => {
    const body = { ids: some.map((item) => toIdText(idOf(item))) };
    // An id without a condition is deleted in any state.
    const ifMatch = some.map((item) => (typeof item === 'object' ? item.ifMatch : '*'));
    const isConditional = some.some((item) => typeof item === 'object');
    return client.deletePlants({ ...call, body: isConditional ? { ...body, ifMatch } : body });
  };
  const counts = { deleted: 0, rejected: 0 };
  return runOnce(ids, remove, options, counts, ({ item, index, result }) => {
    const id = idOf(item);
    if ('error' in result) return { id, index, error: result.error, message: result.message };
    counts.deleted++;
    return undefined;
  });
}

/**
 * Gets the plants with any number of ids in batches, two at a time: each id with its plant and the `ETag` of the plant, in order, and
 * `undefined` where there is none. Iterate it for one after the other, or await it for an array. Nothing is sent until you do either. Each loop takes `ids` again.
 *
 * A loop takes no more ids than it sends. If the rate limit is reached, it waits as `storeAll` does.
 *
 * @throws {RejectedError} when the service rejects a batch as a whole, or an ID, because it is not valid or its plant cannot be read
 * @throws {TypeError} for a single ID as text, which would be a list of its digits
 * @throws {RangeError} for a `number` that may have been rounded
 *
 * @example
 * import { createClient, getAll } from '@plant-store/client';
 *
 * const client = createClient({ baseUrl: 'http://127.0.0.1:3000', token: 'pst_…' });
 * for await (const { id, plant } of getAll(client, [11_002, 9007199254740993n])) console.log(id, plant?.name);
 */
export function getAll(
  client: Pick<Client, 'getPlants'>,
  ids: Many<PlantId>,
  options: BulkOptions = {},
): IterablePromise<FoundPlant> {
  const get: Send<PlantId, GetResult> = (some, call) =>
    client.getPlants({ ...call, body: { ids: some.map(toIdText) } });
  async function* iterate(): AsyncGenerator<FoundPlant> {
    const batches = sendAll(ids, get, options, new AbortController(), true);
    for await (const batch of batches) {
      for (const { item: id, result, reply } of batch) {
        if ('error' in result && result.status !== 404)
          throw new RejectedError({ ...reply, ...result, body: result });
        yield 'error' in result ? { id, plant: undefined } : { id, plant: result.plant, etag: result.etag };
      }
    }
  }
  return createIterablePromise(iterate, (all) => all);
}

/** Resolves to the totals after a batch and the link to the next batch, or to nothing at the end. It holds no earlier batch. */
type Link<Totals> = () => Promise<readonly [totals: Totals, next: Link<Totals>] | undefined>;

/**
 * Sends items once, however often the result is awaited or iterated, and counts the results. Leaving a loop early aborts the batches in
 * flight.
 */
function runOnce<
  Given extends NewPlantInput | PlantId | ConditionalId,
  Result extends { readonly status: number },
  Counts extends { rejected: number },
  Rejected extends Rejection,
>(
  given: Many<Given>,
  sendOnce: Send<Given, Result>,
  options: BulkOptions,
  counts: Counts,
  /** Counts an item, or returns why it is rejected. */
  count: (item: Done<Given, Result>) => Rejected | undefined,
) {
  type Totals = Counts & { readonly rejections: readonly Rejected[] };
  const control = new AbortController();
  const batches = sendAll(given, sendOnce, options, control);
  const toTotals = (rejections: readonly Rejected[]): Totals => ({ ...counts, rejections });

  const sendNext: Link<Totals> = async () => {
    control.signal.throwIfAborted();
    const { done, value } = await batches.next();
    if (done) return undefined;
    const rejections = value.flatMap((item) => count(item) ?? []);
    counts.rejected += rejections.length;
    return [toTotals(rejections), createLink()];
  };

  function createLink(): Link<Totals> {
    let sent: ReturnType<Link<Totals>> | undefined;
    return () => {
      sent ??= sendNext();
      return sent;
    };
  }

  async function* iterate(link: Link<Totals>) {
    try {
      for (let step = await link(); step; step = await link()) {
        yield step[0];
        // Assigning the parameter releases the first link, which leads to all others.
        link = step[1];
      }
    } finally {
      control.abort();
      await batches.return();
    }
  }

  // Bound: every link would hold a variable of this function.
  return createIterablePromise(iterate.bind(undefined, createLink()), (steps) =>
    toTotals(steps.flatMap(({ rejections }) => rejections)),
  );
}

const idOf = (item: PlantId | ConditionalId) => (typeof item === 'object' ? item.id : item);

function toIdText(id: PlantId): string {
  if (typeof id === 'number' && !Number.isSafeInteger(id))
    throw new RangeError(`The id ${id} may have been rounded: pass a bigint, or its digits as text`);
  return String(id);
}

/** Sends a batch. */
type Send<Item, Result> = (items: readonly Item[], options: CallOptions) => Promise<BatchReply<Result>>;

type BatchReply<Result> =
  | (Reply & { readonly status: 200; readonly body: { readonly results: readonly Result[] } })
  | Exclude<ReplyOf<'createPlants'>, { readonly status: 200 }>;

/** An item with its result, and the reply that contains it. */
interface Done<Given, Result> extends Item<Given> {
  readonly result: Result | Failure;
  readonly reply: Reply;
}

interface Item<Given> {
  readonly item: Given;
  readonly index: number;
}

interface Failure {
  readonly status: number;
  readonly error: number;
  readonly message: string;
}

/** The maximum number of items in a batch, and the maximum size of its JSON, in bytes. A larger item is sent in a separate batch. */
const maxItems = 1_000;
const maxBytes = 2 ** 19;

/** How many batches are in flight. */
const concurrency = 2;

/** How long to wait after a 429 without `Retry-After`, in milliseconds. */
const defaultRetryAfterMs = 10_000;

/** Sends items in batches, resends those without a final result, and yields the items of each batch, in order. `control` aborts it. */
async function* sendAll<
  Given extends NewPlantInput | PlantId | ConditionalId,
  Result extends { readonly status: number },
>(
  given: Many<Given>,
  sendOnce: Send<Given, Result>,
  { rounds = 10, signal, ...options }: BulkOptions,
  control: AbortController,
  /** Whether a reply may be too small for all results. */
  repliesAreBounded = false,
): AsyncGenerator<readonly Done<Given, Result>[], void, undefined> {
  type Batch = readonly Item<Given>[];
  type Sent = Done<Given, Result>[];
  const abort = () => control.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort);
  /** In the order in which they were sent. */
  const inFlight: Promise<Sent>[] = [];

  /** How many more plants the rate limit permits. Batches in flight share it. */
  let permitted = Infinity;
  let permittedUntil = 0;

  async function send(batch: Batch, round = 0): Promise<Sent> {
    while (batch.length > permitted) {
      const ms = permittedUntil - performance.now();
      if (ms <= 0) permitted = Infinity;
      else if (permitted > 0) return sendParts(batch, permitted, round);
      else await delay(ms, control.signal);
    }
    permitted -= batch.length;
    const items = batch.map(({ item }) => item);
    const reply = await sendOnce(items, { ...options, signal: control.signal });
    // The operator has set a lower limit.
    if (reply.status === 400 && (reply.body.error === 40005 || reply.body.error === 40006)) {
      if (batch.length > 1) return sendHalves(batch, round);
      return batch.map((item) => ({ ...item, result: { status: 400, ...reply.body }, reply }));
    }
    if (reply.status === 429) {
      const left = Number(/"plants"; *r=(\d+)/.exec(reply.headers.get('ratelimit') ?? '')?.[1]);
      const isKnown = left < batch.length;
      permitted = isKnown ? left : 0;
      permittedUntil = performance.now() + (new RejectedError(reply).retryAfterMs || defaultRetryAfterMs);
      return isKnown ? send(batch, round) : sendHalves(batch, round);
    }
    const { results } = ensureSuccess(reply).body;
    const isPartial = repliesAreBounded && results.some(({ status }) => status < 500);
    const done: Sent = [];
    const again: Item<Given>[] = [];
    for (const [at, item] of batch.entries()) {
      const result = results[at];
      const isFinal = result && (result.status < 500 || (round >= rounds && !isPartial));
      if (isFinal) done.push({ ...item, result, reply });
      else again.push(item);
    }
    if (again.length === 0) return done;
    if (isPartial) return [...done, ...(await sendHalves(again, round))];
    await delay(Math.random() * Math.min(10_000, 100 * 2 ** round), control.signal);
    return [...done, ...(await send(again, round + 1))];
  }

  /** Sends the first `count` items of a batch, then the others. */
  async function sendParts(batch: Batch, count: number, round: number): Promise<Sent> {
    return [...(await send(batch.slice(0, count), round)), ...(await send(batch.slice(count), round))];
  }

  function sendHalves(batch: Batch, round: number): Promise<Sent> {
    const half = batch.length >> 1;
    return half > 0 ? sendParts(batch, half, round) : send(batch, round);
  }

  const inOrder = async (sent: Promise<Sent>) => (await sent).sort((a, b) => a.index - b.index);

  const batches = divide(given);
  let isTaking = false;
  /** The next batch. An abort ends the wait for it, because the source may be a stream that stalls. */
  function take() {
    return new Promise<Awaited<ReturnType<typeof batches.next>>>((resolve, reject) => {
      control.signal.throwIfAborted();
      const end = () => reject(control.signal.reason);
      const release = () => {
        isTaking = false;
        control.signal.removeEventListener('abort', end);
      };
      isTaking = true;
      control.signal.addEventListener('abort', end);
      batches.next().finally(release).then(resolve, reject);
    });
  }

  try {
    for (let next = await take(); !next.done; next = await take()) {
      const oldest = inFlight.length < concurrency ? undefined : inFlight.shift();
      if (oldest) yield inOrder(oldest);
      const sent = send(next.value);
      // A rejection is thrown where it is awaited.
      sent.catch(() => undefined);
      inFlight.push(sent);
    }
    for (const sent of inFlight) yield inOrder(sent);
  } finally {
    signal?.removeEventListener('abort', abort);
    control.abort();
    const closed = batches.return(undefined);
    // A source that stalls is closed when it continues.
    if (isTaking) closed.catch(() => undefined);
    else await closed;
  }
}

/** Divides items into batches, and fills each batch before the next one begins. */
async function* divide<Given extends NewPlantInput | PlantId | ConditionalId>(
  given: Many<Given>,
): AsyncGenerator<Item<Given>[]> {
  if (typeof given === 'string') throw new TypeError('Pass an array of IDs, not a string');
  let batch: Item<Given>[] = [];
  let bytes = 0;
  let index = 0;
  for await (const item of given) {
    const own = sizeOf(item);
    if (batch.length === maxItems || (batch.length > 0 && bytes + own > maxBytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push({ item, index: index++ });
    bytes += own;
  }
  if (batch.length > 0) yield batch;
}

/**
 * An upper bound for the size of an item's JSON, in bytes of UTF-8. An escaped character takes two or six bytes. The few bytes of a number
 * do not count.
 */
function sizeOf(item: NewPlantInput | PlantId | ConditionalId): number {
  const members = Object.entries(item);
  const text = members.join('');
  const perCharacter = /^[ !#-[\]-~]*$/.test(text) ? 1 : /^[ -~]*$/.test(text) ? 2 : 6;
  return 8 * members.length + perCharacter * text.length;
}
