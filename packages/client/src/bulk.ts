import type { errors } from '@plant-store/contract/errors';
import type {
  CreateResult,
  DeleteResult,
  GetResult,
  NewPlantInput,
  PlantUpdate,
  StoredPlant,
  UpdateResult,
} from '@plant-store/contract/operations';
import { backoffMs } from './backoff.js';
import type { Client, ReplyOf } from './client.js';
import { createIterablePromise, type IterablePromise } from './iterable-promise.js';
import type { CallOptions } from './options.js';
import type { Reply } from './read-reply.js';
import { delay } from './timeout.js';
import { ensureSuccess, RejectedError } from './unwrap.js';

/** The options of `storeAll`, `getAll`, `updateAll`, and `deleteAll`, and of their calls. */
export interface BulkOptions extends CallOptions {
  /** How many times the client resends plants that the service temporarily cannot store, get, update, or delete. Default: 10. */
  readonly rounds?: number | undefined;
}

/** How many items had each outcome: so far while you iterate, and in total when you await. */
interface Totals<Rejected> {
  readonly rejected: number;
  /** The rejections of the last batch while you iterate, and all rejections when you await. In the order of the input. */
  readonly rejections: readonly Rejected[];
}

export interface StoreTotals<Given extends NewPlantInput = NewPlantInput>
  extends Totals<RejectedPlant<Given>> {
  /** Stored now. */
  readonly stored: number;
  /** Already stored: the same plant existed before. */
  readonly replayed: number;
}

export interface UpdateTotals<Given extends PlantUpdate = PlantUpdate> extends Totals<RejectedPlant<Given>> {
  /** Updated now, or already equal to the update. */
  readonly updated: number;
}

export interface DeleteTotals extends Totals<RejectedId> {
  /** Deleted now or before. */
  readonly deleted: number;
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

/** An ID: a safe integer as `number`, a `bigint`, or its digits as text, such as an `idText`. */
export type PlantId = number | bigint | string;

/** An ID to delete only if its plant still has this `ETag`. */
export interface ConditionalId {
  readonly id: PlantId;
  /** The `etag` of a reply, or of a plant from `getAll`. */
  readonly ifMatch: string;
}

/** An ID with its plant and the plant's `ETag`. Both are `undefined` if there is no such plant. */
export type FoundPlant = { readonly id: PlantId } & (
  | { readonly plant: StoredPlant; readonly etag: string }
  | { readonly plant: undefined; readonly etag?: undefined }
);

/** An ID whose plant was not deleted, and why. */
export interface RejectedId extends Rejection {
  readonly id: PlantId;
}

/** Any iterable except a string, because iterating a single ID as text would give its digits. */
type Many<Item> = (Iterable<Item> | AsyncIterable<Item>) & object;

/**
 * Stores any number of plants in batches, two at a time. Await it for the totals and all rejections, or iterate it for the totals so far
 * and the rejections of each batch. Nothing is sent until you do either. You can do both, in any order: each plant is sent once, and
 * awaiting gives the same totals. If you leave a loop early, the batches in flight are aborted, and awaiting rejects with an `AbortError`.
 *
 * Plants are read only as they are sent, so memory use does not depend on their number. Awaiting keeps all rejections in memory. A loop
 * keeps none in Node.js 26, unless you assign the result of `storeAll` to a variable. Earlier versions keep them until the loop ends.
 *
 * You can store the same plants again after any failure: plants that are already stored are replayed, and stored only once. Plants that the
 * service temporarily cannot store are resent after a delay.
 *
 * If the rate limit rejects a batch (429), as many of its plants as the limit permits are sent, and the others after `Retry-After` (RFC
 * 9110, section 10.2.3). This repeats until all are sent; only `signal` stops it. `timeoutMs` limits a single call.
 *
 * @throws {RejectedError} when the service rejects a whole batch, such as for its token. It also throws the errors of the client's calls.
 * Any error aborts the batches in flight.
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
  const create: Send<Given, CreateResult> = (batch, call) =>
    client.createPlants({ ...call, body: { plants: batch } });
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
 * All fields are replaced: also pass the unchanged ones. The service rejects plants that have changed since (`precondition_failed`), and
 * IDs without a plant. You can send the same updates again after any failure: a plant that already equals its update counts as updated.
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
  const update: Send<Given, UpdateResult> = (batch, call) =>
    client.updatePlants({ ...call, body: { plants: batch } });
  const counts = { updated: 0, rejected: 0 };
  return runOnce(plants, update, options, counts, ({ item: plant, index, result }) => {
    if ('error' in result) return { plant, index, error: result.error, message: result.message };
    counts.updated++;
    return undefined;
  });
}

/**
 * Deletes the plants with any number of IDs in batches, two at a time. Await it for the totals and all rejections, or iterate it for the
 * totals so far and the rejections of each batch, as with `storeAll`. Nothing is sent until you do either.
 *
 * With `{ id, ifMatch }` in place of an ID, a plant is deleted only if it still has this `ETag`. The service rejects plants that have
 * changed since (`precondition_failed`), IDs that no plant ever had, and text that is not an ID. You can delete the same IDs again after
 * any failure.
 *
 * @throws {RejectedError} as `storeAll` does
 * @throws {TypeError} for a single ID as text: iterating it would give its digits
 * @throws {RangeError} for a `number` that may have been rounded. Plants of batches in flight may be deleted.
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
  const remove: Send<PlantId | ConditionalId, DeleteResult> = (batch, call) => {
    const body = { ids: batch.map((item) => toIdText(idOf(item))) };
    // `*` deletes a plant in any state.
    const ifMatch = batch.map((item) => (typeof item === 'object' ? item.ifMatch : '*'));
    const isConditional = batch.some((item) => typeof item === 'object');
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
 * Gets the plants with any number of IDs in batches, two at a time. The result has each ID in order, with its plant and the `ETag` of the
 * plant, or with `undefined` if there is no such plant. Iterate it, or await it for an array. Nothing is sent until you do either. Each
 * loop iterates `ids` again.
 *
 * A loop reads IDs only as it sends them. If the rate limit is reached, it waits as `storeAll` does.
 *
 * @throws {RejectedError} when the service rejects a whole batch, or an ID that is not valid or whose plant it cannot read
 * @throws {TypeError} for a single ID as text: iterating it would give its digits
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
  const get: Send<PlantId, GetResult> = (batch, call) =>
    client.getPlants({ ...call, body: { ids: batch.map(toIdText) } });
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

/** A node of a lazy linked list: resolves to the totals after a batch and the next node, or to `undefined` at the end. */
type LazyNode<Totals> = () => Promise<readonly [totals: Totals, next: LazyNode<Totals>] | undefined>;

/**
 * Sends items once, however often the result is awaited or iterated, and counts the results. Leaving a loop early aborts the batches in
 * flight. The totals of the batches are a linked list rather than an array, so that a loop can release those that it has passed.
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
  /** Returns why an item is rejected, or counts it and returns `undefined`. */
  countOrReject: (item: Settled<Given, Result>) => Rejected | undefined,
) {
  type Totals = Counts & { readonly rejections: readonly Rejected[] };
  const controller = new AbortController();
  const batches = sendAll(given, sendOnce, options, controller);
  const toTotals = (rejections: readonly Rejected[]): Totals => ({ ...counts, rejections });

  const sendNext: LazyNode<Totals> = async () => {
    controller.signal.throwIfAborted();
    const { done, value } = await batches.next();
    if (done) return undefined;
    const rejections = value.flatMap((item) => countOrReject(item) ?? []);
    counts.rejected += rejections.length;
    return [toTotals(rejections), createNode()];
  };

  function createNode(): LazyNode<Totals> {
    let sent: ReturnType<LazyNode<Totals>> | undefined;
    return () => {
      sent ??= sendNext();
      return sent;
    };
  }

  async function* iterate(node: LazyNode<Totals>) {
    try {
      for (let step = await node(); step; step = await node()) {
        yield step[0];
        // Assigning the parameter releases the first node, which leads to all others.
        node = step[1];
      }
    } finally {
      controller.abort();
      await batches.return();
    }
  }

  // Bound instead of captured: every node would retain a variable of this function.
  return createIterablePromise(iterate.bind(undefined, createNode()), (steps) =>
    toTotals(steps.flatMap(({ rejections }) => rejections)),
  );
}

const idOf = (item: PlantId | ConditionalId) => (typeof item === 'object' ? item.id : item);

function toIdText(id: PlantId): string {
  if (typeof id === 'number' && !Number.isSafeInteger(id))
    throw new RangeError(`The ID ${id} may be rounded: pass a bigint or its digits`);
  return String(id);
}

type Send<Item, Result> = (items: readonly Item[], options: CallOptions) => Promise<BatchReply<Result>>;

type BatchReply<Result> =
  | (Reply & { readonly status: 200; readonly body: { readonly results: readonly Result[] } })
  | Exclude<ReplyOf<'createPlants'>, { readonly status: 200 }>;

/** An item with its result, and the reply that contains it. */
interface Settled<Given, Result> extends Item<Given> {
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

/** The maximum number of items in a batch. */
const maxItems = 1_000;

/** The maximum size of the JSON of a batch, in bytes. A larger item is sent in a separate batch. */
const maxBytes = 2 ** 19;

/** The maximum number of batches in flight. */
const concurrency = 2;

/** How long to wait after a 429 without `Retry-After`, in milliseconds. */
const defaultRetryAfterMs = 10_000;

const bodyTooLarge: (typeof errors)['body_too_large']['error'] = 40005;
const batchTooLarge: (typeof errors)['batch_too_large']['error'] = 40006;

/** Sends items in batches, resends those without a final result, and yields the items of each batch, in order. `controller` aborts it. */
async function* sendAll<
  Given extends NewPlantInput | PlantId | ConditionalId,
  Result extends { readonly status: number },
>(
  given: Many<Given>,
  sendOnce: Send<Given, Result>,
  { rounds = 10, signal, ...options }: BulkOptions,
  controller: AbortController,
  /** Whether the service limits the size of a reply, so that the last items can have no result yet. */
  repliesAreBounded = false,
): AsyncGenerator<readonly Settled<Given, Result>[], void, undefined> {
  type Batch = readonly Item<Given>[];
  type Sent = Settled<Given, Result>[];
  const abort = () => controller.abort(signal?.reason);
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
      else await delay(ms, controller.signal);
    }
    permitted -= batch.length;
    const items = batch.map(({ item }) => item);
    const reply = await sendOnce(items, { ...options, signal: controller.signal });
    // The operator has set a lower limit than the client's.
    if (reply.status === 400 && (reply.body.error === bodyTooLarge || reply.body.error === batchTooLarge)) {
      if (batch.length > 1) return sendHalves(batch, round);
      return batch.map((item) => ({ ...item, result: { status: 400, ...reply.body }, reply }));
    }
    if (reply.status === 429) {
      const remaining = Number(/"plants"; *r=(\d+)/.exec(reply.headers.get('ratelimit') ?? '')?.[1]);
      const isKnown = remaining < batch.length;
      permitted = isKnown ? remaining : 0;
      permittedUntil = performance.now() + (new RejectedError(reply).retryAfterMs || defaultRetryAfterMs);
      return isKnown ? send(batch, round) : sendHalves(batch, round);
    }
    const { results } = ensureSuccess(reply).body;
    const isPartial = repliesAreBounded && results.some(({ status }) => status < 500);
    const settled: Sent = [];
    const unsettled: Item<Given>[] = [];
    for (const [index, item] of batch.entries()) {
      const result = results[index];
      const isFinal = result && (result.status < 500 || (round >= rounds && !isPartial));
      if (isFinal) settled.push({ ...item, result, reply });
      else unsettled.push(item);
    }
    if (unsettled.length === 0) return settled;
    if (isPartial) return [...settled, ...(await sendHalves(unsettled, round))];
    await delay(backoffMs(round), controller.signal);
    return [...settled, ...(await send(unsettled, round + 1))];
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
  let isReading = false;
  /** Reads the next batch. An abort ends the wait for it, because the source may be a stream that stalls. */
  function readBatch() {
    return new Promise<Awaited<ReturnType<typeof batches.next>>>((resolve, reject) => {
      controller.signal.throwIfAborted();
      const end = () => reject(controller.signal.reason);
      const release = () => {
        isReading = false;
        controller.signal.removeEventListener('abort', end);
      };
      isReading = true;
      controller.signal.addEventListener('abort', end);
      batches.next().finally(release).then(resolve, reject);
    });
  }

  try {
    for (let next = await readBatch(); !next.done; next = await readBatch()) {
      const oldest = inFlight.length < concurrency ? undefined : inFlight.shift();
      if (oldest) yield inOrder(oldest);
      const sent = send(next.value);
      // A rejection is thrown where the batch is awaited.
      sent.catch(() => undefined);
      inFlight.push(sent);
    }
    for (const sent of inFlight) yield inOrder(sent);
  } finally {
    signal?.removeEventListener('abort', abort);
    controller.abort();
    const closed = batches.return(undefined);
    // A source that stalls is closed when it continues.
    if (isReading) closed.catch(() => undefined);
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
    const itemBytes = maxBytesOf(item);
    if (batch.length === maxItems || (batch.length > 0 && bytes + itemBytes > maxBytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push({ item, index: index++ });
    bytes += itemBytes;
  }
  if (batch.length > 0) yield batch;
}

/**
 * Returns an upper bound for the size of an item's JSON, in bytes of UTF-8. An escaped character takes two or six bytes. The digits of a
 * number are not counted.
 */
function maxBytesOf(item: NewPlantInput | PlantId | ConditionalId): number {
  const members = Object.entries(item);
  const text = members.join('');
  const perCharacter = /^[ !#-[\]-~]*$/.test(text) ? 1 : /^[ -~]*$/.test(text) ? 2 : 6;
  return 8 * members.length + perCharacter * text.length;
}
