import type {
  CreateResult,
  DeleteResult,
  GetResult,
  NewPlantInput,
  StoredPlant,
} from '@plant-store/contract/operations';
import type { Client, ReplyOf } from './client.js';
import type { CallOptions } from './options.js';
import { delay } from './timeout.js';
import { type AnyReply, ensureSuccess, RejectedError } from './unwrap.js';

/** How many plants had each outcome so far. */
export interface BulkProgress {
  /** Stored now. */
  readonly stored: number;
  /** Stored before: the same plant was there already. */
  readonly replayed: number;
  readonly rejected: number;
}

/** How many plants had each outcome so far. */
export interface DeleteProgress {
  /** Deleted now or before. */
  readonly deleted: number;
  readonly rejected: number;
}

/** How batches are sent, and the options of their calls. */
export interface BatchOptions extends CallOptions {
  /** How often the plants of a batch are sent again that the service could not store, get or delete at the moment. Default: 10. */
  readonly rounds?: number;
}

/** How `storeAll` or `deleteAll` proceeds, and the options of its calls. */
export interface BulkOptions<Progress = BulkProgress> extends BatchOptions {
  /** Called after each batch. What it throws ends the generator. */
  readonly onProgress?: (progress: Progress) => void;
}

/** Why something was not done with a plant, as the service says it. */
interface Rejection {
  /** Its place among those given, from 0. */
  readonly index: number;
  /** A number of the table `errors`. */
  readonly error: number;
  readonly message: string;
}

/** A plant that was not stored, and why. */
export interface RejectedPlant<Given extends NewPlantInput = NewPlantInput> extends Rejection {
  readonly plant: Given;
}

/** An id: a `number` as far as it is exact, a `bigint`, or its digits as text, such as an `idText`. */
export type PlantId = number | bigint | string;

/** An id whose plant was not deleted, and why. */
export interface RejectedId extends Rejection {
  readonly id: PlantId;
}

/** An id, and its plant, if there is one. */
export interface FoundPlant {
  readonly id: PlantId;
  readonly plant: StoredPlant | undefined;
}

type Many<Item> = Iterable<Item> | AsyncIterable<Item>;

/**
 * Stores any number of plants in batches, two at a time, and yields those that are rejected, in order. It takes no more plants than it
 * sends, so it needs little memory however many there are.
 *
 * It can be run again with the same plants after any failure: what is stored already is replayed, and stored once. Plants that
 * the service cannot store at the moment are sent again, after a delay.
 *
 * Where the rate limit rejects a batch (429), it sends as many of its plants as the limit still permits, and all others after
 * `Retry-After` (RFC 9110, section 10.2.3), however often and long that is: only `signal` ends it. `timeoutMs` limits one call.
 *
 * @returns the number of plants with each outcome, once all are stored or rejected
 * @throws {RejectedError} when the service rejects a batch as a whole, such as for its token, and whatever a call of the client
 *   rejects with; batches in flight are aborted then, as when the generator is left early
 *
 * @example
 * import { createClient, storeAll } from '@plant-store/client';
 *
 * const client = createClient({ baseUrl: 'http://127.0.0.1:3000', token: 'pst_…' });
 * const plants = [{ id: 11_002, name: 'Fern' }, { id: 11_003, name: 'Ivy', tag: 'climber' }];
 * for await (const { plant, message } of storeAll(client, plants)) console.error(plant.id, message);
 */
export async function* storeAll<Given extends NewPlantInput>(
  client: Pick<Client, 'createPlants'>,
  plants: Many<Given>,
  { onProgress, ...options }: BulkOptions = {},
): AsyncGenerator<RejectedPlant<Given>, BulkProgress, undefined> {
  const progress = { stored: 0, replayed: 0, rejected: 0 };
  const create: Send<Given, CreateResult> = (some, call) =>
    client.createPlants({ ...call, body: { plants: some } });
  for await (const batch of sendAll(plants, create, options, { sizeOf })) {
    const rejected = batch.flatMap(({ item: plant, index, result }) => {
      if ('error' in result) return { plant, index, error: result.error, message: result.message };
      progress[result.replayed ? 'replayed' : 'stored']++;
      return [];
    });
    progress.rejected += rejected.length;
    onProgress?.({ ...progress });
    yield* rejected;
  }
  return progress;
}

/**
 * Deletes the plants with any number of ids in batches, two at a time, and yields the ids whose plants are not deleted, in order: those
 * that no plant ever had, and texts that are no id. Otherwise it proceeds as `storeAll` does, and can be run again as well.
 *
 * @returns the number of ids with each outcome, once all plants are deleted or rejected
 * @throws {RejectedError} as `storeAll` does
 * @throws {RangeError} for a `number` that may have been rounded; plants of batches in flight may be deleted then
 *
 * @example
 * import { createClient, deleteAll } from '@plant-store/client';
 *
 * const client = createClient({ baseUrl: 'http://127.0.0.1:3000', token: 'pst_…' });
 * for await (const { id, message } of deleteAll(client, [11_002, 9007199254740993n])) console.error(id, message);
 */
export async function* deleteAll(
  client: Pick<Client, 'deletePlants'>,
  ids: Many<PlantId>,
  { onProgress, ...options }: BulkOptions<DeleteProgress> = {},
): AsyncGenerator<RejectedId, DeleteProgress, undefined> {
  const progress = { deleted: 0, rejected: 0 };
  const remove: Send<PlantId, DeleteResult> = (some, call) =>
    client.deletePlants({ ...call, body: { ids: some.map(toIdText) } });
  for await (const batch of sendAll(ids, remove, options)) {
    const rejected = batch.flatMap(({ item: id, index, result }) =>
      'error' in result ? { id, index, error: result.error, message: result.message } : [],
    );
    progress.deleted += batch.length - rejected.length;
    progress.rejected += rejected.length;
    onProgress?.({ ...progress });
    yield* rejected;
  }
  return progress;
}

/**
 * Gets the plants with any number of ids in batches, two at a time, and yields each id with its plant, in order: `undefined` where there
 * is none. It takes no more ids than it sends. Where the rate limit permits no more, it waits as `storeAll` does.
 *
 * @throws {RejectedError} when the service rejects a batch as a whole, or an id, since it is none or its plant could not be read
 * @throws {RangeError} for a `number` that may have been rounded
 *
 * @example
 * import { createClient, getAll } from '@plant-store/client';
 *
 * const client = createClient({ baseUrl: 'http://127.0.0.1:3000', token: 'pst_…' });
 * for await (const { id, plant } of getAll(client, [11_002, 9007199254740993n])) console.log(id, plant?.name);
 */
export async function* getAll(
  client: Pick<Client, 'getPlants'>,
  ids: Many<PlantId>,
  options: BatchOptions = {},
): AsyncGenerator<FoundPlant, void, undefined> {
  const get: Send<PlantId, GetResult> = (some, call) =>
    client.getPlants({ ...call, body: { ids: some.map(toIdText) } });
  for await (const batch of sendAll(ids, get, options, { repliesAreBounded: true })) {
    for (const { item: id, result, reply } of batch) {
      if (!('error' in result)) yield { id, plant: result.plant };
      else if (result.status === 404) yield { id, plant: undefined };
      else throw new RejectedError({ ...reply, status: result.status, body: result });
    }
  }
}

function toIdText(id: PlantId): string {
  if (typeof id === 'number' && !Number.isSafeInteger(id))
    throw new RangeError(`The id ${id} may have been rounded: pass a bigint, or its digits as text`);
  return String(id);
}

/** Sends a batch. */
type Send<Item, Result> = (items: readonly Item[], options: CallOptions) => Promise<BatchReply<Result>>;

type BatchReply<Result> =
  | (AnyReply & { readonly status: 200; readonly body: { readonly results: readonly Result[] } })
  | Exclude<ReplyOf<'createPlants'>, { readonly status: 200 }>;

/** An item with what became of it, and the reply that says so. */
interface Done<Given, Result> extends Item<Given> {
  readonly result: Result | Failure;
  readonly reply: AnyReply;
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

/** What differs between operations. */
interface BatchTraits<Given> {
  /** No less than the bytes of an item's JSON in UTF-8. Default: none to speak of. */
  readonly sizeOf?: (item: Given) => number;
  /** Whether a reply may have no room for all that was found. */
  readonly repliesAreBounded?: boolean;
}

/** How many items a batch has at most, and how long its JSON may be, in bytes; a larger item is a batch of its own. */
const maxItems = 1_000;
const maxBytes = 2 ** 19;

/** How many batches are in flight. */
const concurrency = 2;

/** How long to wait after a 429 that does not say, in milliseconds. */
const defaultRetryAfterMs = 10_000;

/** Sends items in batches, and again what has no final result, and yields the items of each batch, in order. */
async function* sendAll<Given, Result extends { readonly status: number }>(
  given: Many<Given>,
  sendOnce: Send<Given, Result>,
  { rounds = 10, signal, ...options }: BatchOptions,
  { sizeOf = () => 0, repliesAreBounded = false }: BatchTraits<Given> = {},
): AsyncGenerator<readonly Done<Given, Result>[], void, undefined> {
  type Batch = readonly Item<Given>[];
  type Sent = Done<Given, Result>[];
  const control = new AbortController();
  const abort = () => control.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort);
  /** In the order in which they were sent. */
  const inFlight: Promise<Sent>[] = [];

  /** How many plants the rate limit permits until then; batches in flight share it. */
  let permitted = Number.POSITIVE_INFINITY;
  let permittedUntil = 0;

  async function send(batch: Batch, round = 0): Promise<Sent> {
    while (batch.length > permitted) {
      const ms = permittedUntil - performance.now();
      if (ms <= 0) permitted = Number.POSITIVE_INFINITY;
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

  /** Sends so many items of a batch, and then the others. */
  async function sendParts(batch: Batch, count: number, round: number): Promise<Sent> {
    return [...(await send(batch.slice(0, count), round)), ...(await send(batch.slice(count), round))];
  }

  function sendHalves(batch: Batch, round: number): Promise<Sent> {
    const half = batch.length >> 1;
    return half > 0 ? sendParts(batch, half, round) : send(batch, round);
  }

  const inOrder = async (sent: Promise<Sent>) => (await sent).sort((a, b) => a.index - b.index);

  try {
    for await (const batch of divide(given, sizeOf)) {
      const oldest = inFlight.length < concurrency ? undefined : inFlight.shift();
      if (oldest) yield inOrder(oldest);
      const sent = send(batch);
      // What it rejects with is thrown where it is awaited.
      sent.catch(() => undefined);
      inFlight.push(sent);
    }
    for (const sent of inFlight) yield inOrder(sent);
  } finally {
    signal?.removeEventListener('abort', abort);
    control.abort();
  }
}

/** Divides items into batches, each of which is filled before the next one begins. */
async function* divide<Given>(
  given: Many<Given>,
  sizeOf: (item: Given) => number,
): AsyncGenerator<Item<Given>[]> {
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

/** No less than the bytes of its JSON in UTF-8, of which a character may take six where it is escaped. */
function sizeOf(plant: NewPlantInput): number {
  const members = Object.entries(plant);
  const text = members.join('');
  return 8 * members.length + (/^[ !#-[\]-~]*$/.test(text) ? text.length : 6 * text.length);
}
