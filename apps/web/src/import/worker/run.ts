import {
  type Client,
  type ClientOptions,
  createClient,
  deleteAll,
  errors,
  type Fetch,
  isNetworkError,
  isPlantStoreError,
  isRejectedError,
  isTimeoutError,
  isUnexpectedResponseError,
  storeAll,
  updateAll,
} from '@plant-store/client';
import type { NewPlant, PlantUpdate } from '@plant-store/contract/operations';
import { explainError, explainRejection } from '../../shared/explain-failure.js';
import { reuseId } from '../../shared/reuse-id.js';
import type { Progress, Stop, Target, Task } from '../protocol.js';
import { findStored } from './compare.js';
import type { Lines } from './lines.js';

/** How requests are sent. A batch may take long on a slow line, and the service may take a while to restart. */
export interface Connection {
  readonly fetch?: Fetch;
  readonly retries?: number;
  readonly timeoutMs?: number;
  readonly attemptTimeoutMs?: number;
}

const patientConnection: Connection = { retries: 6, timeoutMs: 120_000, attemptTimeoutMs: 30_000 };

/** How many ids of deleted plants are reused at the same time: each takes a request. */
const concurrentReuses = 6;

const numbersOf = (registered: readonly { readonly error: number }[]) => registered.map(({ error }) => error);

/** The errors that are about the plant alone (docs/use/api.md, "Errors"); others would meet the next one as well. */
const ofPlant = numbersOf([errors.invalid_plant, errors.body_too_large]);

/** The errors of plants that somebody else has added, changed, or deleted since the review. */
const ofConflict = numbersOf([errors.id_taken, errors.precondition_failed, errors.plant_not_found]);

/** The errors that go by themselves, as an outage does. */
const ofOutage = numbersOf([
  errors.overloaded,
  errors.database_unavailable,
  errors.shutting_down,
  errors.identity_provider_unavailable,
]);

/** How long to wait in an outage, once the client no longer tries, in milliseconds. */
const outagePauseMs = 5_000;

export const noToken: Stop = { cause: 'token', message: 'There is no access token. Enter one to go on.' };

/**
 * The lines on their way to the service. Whatever stops it, it can be started again, and then sends what has no result yet: a
 * plant whose result was lost is stored already, and replayed.
 */
export class Run {
  readonly #lines: Lines;
  readonly #onChange: () => void;
  readonly #connection: Connection;
  #work = new AbortController();
  #runs = 0;
  #task: Task = 'add';
  #state: Progress['state'] = 'ended';
  #stop: Stop | undefined;
  #retrying: string | undefined;
  /** Why it waits, while it does. */
  #outage: string | undefined;
  /** When the rate limit permits more, in milliseconds since 1970. */
  #limitedUntil = 0;
  /** How many lines had a result before. */
  #doneBefore = 0;
  /** The records that were rejected for what somebody else has stored, which is not read yet. */
  readonly #doubtful = new Set<number>();
  /** How many plants an undo has to do with, and how many of them it has restored. */
  #toUndo = 0;
  #restored = 0;

  /** @param onChange called after each change, however many there are */
  constructor(lines: Lines, onChange: () => void, connection: Connection = {}) {
    this.#lines = lines;
    this.#onChange = onChange;
    this.#connection = connection;
  }

  get progress(): Progress {
    const isUndo = this.#task === 'undo';
    const { ready, changed, stored, updated } = this.#lines.counts;
    const done = isUndo ? this.#toUndo - stored - updated : this.#done - this.#doneBefore;
    return {
      task: this.#task,
      runs: this.#runs,
      state: this.#state,
      stop: this.#stop,
      retrying: this.#retrying,
      done,
      total: isUndo ? this.#toUndo : done + ready + changed,
      rejected: this.#lines.rejected,
      rejections: this.#lines.rejections,
      kept: this.#lines.kept,
      restored: this.#restored,
    };
  }

  get #done(): number {
    const { stored, updated, replayed, repeated, conflicts, retired } = this.#lines.counts;
    return stored + updated + replayed + repeated + conflicts + retired + this.#lines.rejected;
  }

  /** Begins a task, or goes on after a stop, with the same one. */
  async start(target: Target, task: Task): Promise<void> {
    this.#work.abort();
    this.#work = new AbortController();
    const { signal } = this.#work;
    this.#runs++;
    if (this.#state === 'ended' || task !== this.#task) {
      this.#task = task;
      if (task === 'reuse') this.#lines.readyRetired();
      this.#doneBefore = this.#done;
      this.#doubtful.clear();
      const { stored, updated } = this.#lines.counts;
      this.#toUndo = stored + updated;
      this.#restored = 0;
    }
    this.#set('running');
    const work = () =>
      this.#task === 'undo' ? this.#undoAll(target, signal) : this.#sendAll(target, signal);
    let stop = await work().catch(explain);
    while (!signal.aborted && stop?.cause === 'outage') {
      this.#outage = `${stop.message} Trying again.`;
      this.#retrying = this.#outage;
      this.#onChange();
      await delay(outagePauseMs, signal);
      this.#outage = undefined;
      if (!signal.aborted) stop = await work().catch(explain);
    }
    if (signal.aborted) return;
    this.#set(stop === undefined ? 'ended' : 'stopped', stop);
  }

  cancel(stop?: Stop): void {
    if (this.#state !== 'running') return;
    this.#work.abort();
    this.#set('stopped', stop);
  }

  /** Stops until a token comes with `start`. */
  forgetToken(): void {
    this.cancel(noToken);
  }

  /** Adds and updates plants. Resolves with why some are left, if any are. */
  async #sendAll(target: Target, signal: AbortSignal): Promise<Stop | undefined> {
    const client = this.#connect(target);
    const stop = (await this.#addAll(client, signal)) ?? (await this.#updateAll(client, signal));
    await this.#showConflicts(client, signal);
    return stop;
  }

  async #addAll(own: Client, signal: AbortSignal): Promise<Stop | undefined> {
    const lines = this.#lines;
    const records = new WeakMap<object, number>();
    // The result of each plant counts as soon as it comes, whatever becomes of the others.
    const createPlants: Client['createPlants'] = async (request) => {
      const reply = await own.createPlants(request);
      const { results } = reply.status === 200 ? reply.body : { results: [] };
      for (const [index, result] of results.entries()) {
        const record = records.get(request.body.plants[index] ?? {});
        if (record !== undefined && !('error' in result))
          lines.resolve(record, result.replayed ? 'replayed' : result);
      }
      this.#onChange();
      return reply;
    };
    function* readPlants() {
      for (const [record, plant] of lines.readPlants('ready')) {
        records.set(plant, record);
        yield plant;
      }
    }
    const reuses = new Set<Promise<void>>();
    let stop: Stop | undefined;
    for await (const { rejections } of storeAll({ createPlants }, readPlants(), { signal })) {
      for (const { plant, error, message } of rejections) {
        const record = records.get(plant);
        if (record === undefined) continue;
        if (error !== errors.id_retired.error) stop = this.#reject(record, error, message) ?? stop;
        else if (this.#task !== 'reuse') lines.retire(record);
        else {
          const reuse = tryReuse(own, plant, signal).then((etag) => {
            if (etag === undefined) this.#reject(record, errors.id_taken.error, takenSince);
            else lines.resolve(record, { etag });
            reuses.delete(reuse);
            this.#onChange();
          });
          // What it rejects with is thrown where it is awaited.
          reuse.catch(() => undefined);
          if (reuses.add(reuse).size >= concurrentReuses) await Promise.race(reuses);
        }
        this.#onChange();
      }
    }
    await Promise.all(reuses);
    return stop;
  }

  /** Updates the plants that the person has reviewed, each only if it is still what they have seen. */
  async #updateAll(own: Client, signal: AbortSignal): Promise<Stop | undefined> {
    const lines = this.#lines;
    function* readUpdates() {
      for (const [record, plant] of lines.readPlants('changed'))
        yield [record, { ...plant, ifMatch: lines.knownOf(record)?.etag ?? '' }] as const;
    }
    try {
      return await this.#update(own, readUpdates(), signal, {
        onUpdated: (record, etag) => lines.resolve(record, { etag }),
        onRejected: (record, error, message) => this.#reject(record, error, message),
      });
    } catch (error) {
      if (!isRejectedError(error, errors.insufficient_scope.error)) throw error;
      for (const [record] of lines.readPlants('changed'))
        lines.resolve(record, { error: error.error, reason: error.message });
      this.#onChange();
      return undefined;
    }
  }

  /** Sends updates, each with its record, and returns why some are left, if any are. */
  async #update(
    own: Client,
    updates: Iterable<readonly [record: number, update: PlantUpdate]>,
    signal: AbortSignal,
    on: {
      onUpdated(record: number, etag: string): void;
      onRejected(record: number, error: number, message: string): Stop | undefined;
    },
  ): Promise<Stop | undefined> {
    const records = new WeakMap<object, number>();
    const updatePlants: Client['updatePlants'] = async (request) => {
      const reply = await own.updatePlants(request);
      const { results } = reply.status === 200 ? reply.body : { results: [] };
      for (const [index, result] of results.entries()) {
        const record = records.get(request.body.plants[index] ?? {});
        if (record !== undefined && !('error' in result)) on.onUpdated(record, result.etag);
      }
      this.#onChange();
      return reply;
    };
    function* readPlants() {
      for (const [record, update] of updates) {
        records.set(update, record);
        yield update;
      }
    }
    let stop: Stop | undefined;
    for await (const { rejections } of updateAll({ updatePlants }, readPlants(), { signal })) {
      for (const { plant, error, message } of rejections) {
        const record = records.get(plant);
        if (record !== undefined) stop = on.onRejected(record, error, message) ?? stop;
      }
      this.#onChange();
    }
    return stop;
  }

  /** Notes why a plant was rejected, or returns why the others would be, too. */
  #reject(record: number, error: number, message: string): Stop | undefined {
    const isConflict = ofConflict.includes(error);
    if (!isConflict && !ofPlant.includes(error)) return { cause: causeOf(error), message };
    if (isConflict) this.#doubtful.add(record);
    this.#lines.resolve(record, { error, reason: message });
    return undefined;
  }

  /** Shows the person what somebody else has stored since the review, where the token may read it. */
  async #showConflicts(client: Client, signal: AbortSignal): Promise<void> {
    const lines = this.#lines;
    try {
      const plants = lines.readRecords([...this.#doubtful]);
      for await (const [record, { plant, etag }] of findStored(client, plants, signal)) {
        this.#doubtful.delete(record);
        if (plant === undefined) lines.retire(record);
        else lines.compare(record, { plant, etag }, false);
      }
    } catch (error) {
      if (!isRejectedError(error, errors.insufficient_scope.error)) throw error;
    }
    this.#onChange();
  }

  /**
   * Deletes what was added, and makes what was updated what it was, each only if nobody has changed it since. Resolves with why plants
   * are left, if any are.
   */
  async #undoAll(target: Target, signal: AbortSignal): Promise<Stop | undefined> {
    const client = this.#connect(target);
    const lines = this.#lines;
    const keep = (record: number, error: number, message: string): Stop | undefined => {
      if (!ofConflict.includes(error)) return { cause: causeOf(error), message };
      lines.keep(record);
      return undefined;
    };
    function* readUpdates() {
      for (const [record, { id }] of lines.readPlants('updated'))
        yield [record, { ...lines.knownOf(record)?.plant, id, ifMatch: lines.etagOf(record) }] as [
          number,
          PlantUpdate,
        ];
    }
    const stop = await this.#update(client, readUpdates(), signal, {
      onUpdated: (record) => {
        this.#restored++;
        lines.revert(record);
      },
      onRejected: keep,
    });
    return stop ?? (await this.#deleteAll(client, keep, signal));
  }

  async #deleteAll(
    own: Client,
    keep: (record: number, error: number, message: string) => Stop | undefined,
    signal: AbortSignal,
  ): Promise<Stop | undefined> {
    const lines = this.#lines;
    const records = new Map<string, number>();
    function* readIds() {
      for (const [record, { id }] of lines.readPlants('stored')) {
        records.set(String(id), record);
        yield { id, ifMatch: lines.etagOf(record) ?? '""' };
      }
    }
    const deletePlants: Client['deletePlants'] = async (request) => {
      const reply = await own.deletePlants(request);
      const { results } = reply.status === 200 ? reply.body : { results: [] };
      for (const [index, result] of results.entries()) {
        const record = records.get(String(request.body.ids[index]));
        if (record !== undefined && !('error' in result)) lines.revert(record);
      }
      this.#onChange();
      return reply;
    };
    let stop: Stop | undefined;
    for await (const { rejections } of deleteAll({ deletePlants }, readIds(), { signal })) {
      for (const { id, error, message } of rejections) {
        const record = records.get(String(id));
        if (record !== undefined) stop = keep(record, error, message) ?? stop;
      }
      this.#onChange();
    }
    return stop;
  }

  #connect(target: Target): Client {
    return connect(target, this.#connection, ({ response }) => this.#noteAttempt(response));
  }

  #noteAttempt(response: Response | undefined): void {
    if (this.#state !== 'running') return;
    if (response?.status === 429) {
      this.#limitedUntil = performance.now() + 1_000 * (Number(response.headers.get('retry-after')) || 10);
    }
    // Of two batches one may wait while the other succeeds.
    const leftMs = this.#limitedUntil - performance.now();
    this.#retrying = nameTrouble(response?.status) ?? (leftMs > 0 ? nameLimit(leftMs) : this.#outage);
    this.#onChange();
  }

  #set(state: Progress['state'], stop?: Stop): void {
    this.#state = state;
    this.#stop = stop;
    this.#retrying = undefined;
    this.#limitedUntil = 0;
    this.#onChange();
  }
}

/** A client that sends to the service as patiently as an import needs it. */
export function connect(
  target: Target,
  connection: Connection,
  onResponse?: ClientOptions['onResponse'],
): Client {
  return createClient({ ...patientConnection, ...connection, ...target, ...(onResponse && { onResponse }) });
}

const takenSince = 'Another plant has got this id. Choose another id.';

/** Stores a plant under the id of a deleted one, and returns its `ETag`; `undefined` if another one has it by now. */
async function tryReuse(client: Client, plant: NewPlant, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await reuseId(client, plant, { signal })).etag ?? '""';
  } catch (error) {
    if (!isRejectedError(error, errors.precondition_failed.error)) throw error;
    return undefined;
  }
}

/**
 * What keeps an attempt from success that is worth another one, by its status, but for the rate limit; without a status
 * nothing has answered.
 */
function nameTrouble(status: number | undefined): string | undefined {
  if (status === undefined) return 'The service cannot be reached, or the connection broke. Trying again.';
  return status >= 500 ? 'The service cannot store plants at the moment. Trying again.' : undefined;
}

function nameLimit(leftMs: number): string {
  const until = new Date(Date.now() + leftMs).toLocaleTimeString();
  return `The rate limit of the service is reached. Going on at ${until}.`;
}

function causeOf(error: number): Stop['cause'] {
  return ofOutage.includes(error) ? 'outage' : 'other';
}

/** Why something that concerns more than one plant has failed. */
export function explain(error: unknown): Stop {
  if (isRejectedError(error)) {
    const { about, message, cause } = explainRejection(error);
    return about === 'token' ? { cause: 'token', message } : { cause: causeOf(error.error), message: cause };
  }
  const { message, cause } = explainError(error);
  if (!isPlantStoreError(error)) return { cause: 'other', message };
  const isOutage =
    isNetworkError(error) ||
    isTimeoutError(error) ||
    (isUnexpectedResponseError(error) && error.status >= 500);
  return { cause: isOutage ? 'outage' : 'other', message: cause };
}

/** Resolves after a time, or as soon as the signal is aborted. */
function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
