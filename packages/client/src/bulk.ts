import type { CreateResult, NewPlantInput } from '@plant-store/contract/operations';
import type { Client } from './client.js';
import type { CallOptions } from './options.js';
import { delay } from './timeout.js';
import { ensureSuccess, RejectedError } from './unwrap.js';

/** How many plants had each outcome so far. */
export interface BulkProgress {
  /** Stored now. */
  readonly stored: number;
  /** Stored before: the same plant was there already. */
  readonly replayed: number;
  readonly rejected: number;
}

/** How `storeAll` proceeds, and the options of its calls. */
export interface BulkOptions extends CallOptions {
  /** Called after each batch. What it throws ends the generator. */
  readonly onProgress?: (progress: BulkProgress) => void;
  /** How often the plants of a batch are sent again that the service could not store at the moment. Default: 10. */
  readonly rounds?: number;
}

/** A plant that was not stored, and why, as the service says it. */
export interface RejectedPlant {
  readonly plant: NewPlantInput;
  /** Its place among the plants given, from 0. */
  readonly index: number;
  /** A number of the table `errors`. */
  readonly error: number;
  readonly message: string;
}

/** How many plants a batch has at most, and how long its JSON may be, in bytes; a larger plant is a batch of its own. */
const maxPlants = 1_000;
const maxBytes = 2 ** 19;

/** How many batches are in flight. */
const concurrency = 2;

/** How long to wait after a 429 that does not say, in milliseconds. */
const defaultRetryAfterMs = 10_000;

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
 * import { createClient } from '@plant-store/client';
 * import { storeAll } from '@plant-store/client/bulk';
 *
 * const client = createClient({ baseUrl: 'http://127.0.0.1:3000', token: 'pst_…' });
 * const plants = [{ id: 11_002, name: 'Fern' }, { id: 11_003, name: 'Ivy', tag: 'climber' }];
 * for await (const { plant, message } of storeAll(client, plants)) console.error(plant.id, message);
 */
export async function* storeAll(
  client: Pick<Client, 'createPlants'>,
  plants: Iterable<NewPlantInput> | AsyncIterable<NewPlantInput>,
  { onProgress, rounds = 10, signal, ...options }: BulkOptions = {},
): AsyncGenerator<RejectedPlant, BulkProgress, undefined> {
  const control = new AbortController();
  const abort = () => control.abort(signal?.reason);
  if (signal?.aborted) abort();
  signal?.addEventListener('abort', abort);
  const progress = { stored: 0, replayed: 0, rejected: 0 };
  /** In the order in which they were sent. */
  const inFlight: Promise<RejectedPlant[]>[] = [];

  /** How many plants the rate limit permits until then; batches in flight share it. */
  let permitted = Number.POSITIVE_INFINITY;
  let permittedUntil = 0;

  /** Sends a batch, and again what has no final result. Returns the plants that were rejected. */
  async function send(batch: readonly Item[], round = 0): Promise<RejectedPlant[]> {
    while (batch.length > permitted) {
      const ms = permittedUntil - performance.now();
      if (ms <= 0) permitted = Number.POSITIVE_INFINITY;
      else if (permitted > 0) return sendParts(batch, permitted, round);
      else await delay(ms, control.signal);
    }
    permitted -= batch.length;
    const body = { plants: batch.map(({ plant }) => plant) };
    const reply = await client.createPlants({ ...options, body, signal: control.signal });
    const half = batch.length >> 1;
    // The operator has set a lower limit.
    if (reply.status === 400 && (reply.body.error === 40005 || reply.body.error === 40006)) {
      if (half > 0) return sendParts(batch, half, round);
      return batch.flatMap((item) => reject(item, reply.body));
    }
    if (reply.status === 429) {
      const left = Number(/"plants"; *r=(\d+)/.exec(reply.headers.get('ratelimit') ?? '')?.[1]);
      const isKnown = left < batch.length;
      permitted = isKnown ? left : 0;
      permittedUntil = performance.now() + (new RejectedError(reply).retryAfterMs || defaultRetryAfterMs);
      return isKnown || half === 0 ? send(batch, round) : sendParts(batch, half, round);
    }
    const { results } = ensureSuccess(reply).body;
    const again: Item[] = [];
    const rejected = batch.flatMap((item, index) => {
      const result: CreateResult | undefined = results[index];
      if (result?.status === 200) {
        progress[result.replayed ? 'replayed' : 'stored']++;
        return [];
      }
      if (result && (result.status === 400 || round >= rounds)) return reject(item, result);
      again.push(item);
      return [];
    });
    if (again.length === 0) return rejected;
    const ms = Math.random() * Math.min(10_000, 100 * 2 ** round);
    await delay(ms, control.signal);
    return [...rejected, ...(await send(again, round + 1))];
  }

  /** Sends so many plants of a batch, and then the others. */
  async function sendParts(batch: readonly Item[], count: number, round: number): Promise<RejectedPlant[]> {
    return [...(await send(batch.slice(0, count), round)), ...(await send(batch.slice(count), round))];
  }

  function reject({ plant, index }: Item, { error, message }: Rejection): RejectedPlant[] {
    progress.rejected++;
    return [{ plant, index, error, message }];
  }

  async function* finish(sent: Promise<RejectedPlant[]>): AsyncGenerator<RejectedPlant> {
    const rejected = await sent;
    onProgress?.({ ...progress });
    yield* rejected;
  }

  try {
    for await (const batch of divide(plants)) {
      const oldest = inFlight.length < concurrency ? undefined : inFlight.shift();
      if (oldest) yield* finish(oldest);
      const sent = send(batch);
      // What it rejects with is thrown where it is awaited.
      sent.catch(() => undefined);
      inFlight.push(sent);
    }
    for (const sent of inFlight) yield* finish(sent);
    return { ...progress };
  } finally {
    signal?.removeEventListener('abort', abort);
    control.abort();
  }
}

interface Item {
  readonly plant: NewPlantInput;
  readonly index: number;
}

interface Rejection {
  readonly error: number;
  readonly message: string;
}

/** Divides plants into batches, each of which is filled before the next one begins. */
async function* divide(
  plants: Iterable<NewPlantInput> | AsyncIterable<NewPlantInput>,
): AsyncGenerator<Item[]> {
  let batch: Item[] = [];
  let bytes = 0;
  let index = 0;
  for await (const plant of plants) {
    const own = sizeOf(plant);
    if (batch.length === maxPlants || (batch.length > 0 && bytes + own > maxBytes)) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push({ plant, index: index++ });
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
