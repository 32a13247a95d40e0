import {
  type Client,
  createClient,
  deleteAll,
  errors,
  type Fetch,
  type FoundPlant,
  getAll,
  isNetworkError,
  isPlantStoreError,
  isRejectedError,
  isTimeoutError,
  isUnexpectedResponseError,
  type PlantId,
  storeAll,
} from '@plant-store/client';
import type { NewPlant, NewPlantInput } from '@plant-store/contract/operations';
import { explainError, explainRejection } from '../../shared/explain-failure.js';
import { reuseId } from '../../shared/reuse-id.js';
import { hasSameTexts } from '../../shared/texts.js';
import type { Progress, Stop, Task } from '../protocol.js';
import type { Lines } from './lines.js';

/** Where plants are sent to. */
export interface Target {
  readonly baseUrl: string;
  readonly token: string;
}

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

/** The errors that are about the plant alone (docs/use/api.md, "Errors"); others would meet the next one as well. */
const ofPlant: readonly number[] = [
  errors.invalid_plant,
  errors.id_taken,
  errors.id_retired,
  errors.body_too_large,
].map(({ error }) => error);

/** The errors that go by themselves, as an outage does. */
const ofOutage: readonly number[] = [
  errors.overloaded,
  errors.database_unavailable,
  errors.shutting_down,
  errors.identity_provider_unavailable,
].map(({ error }) => error);

/** How long to wait in an outage, once the client no longer tries, in milliseconds. */
const outagePauseMs = 5_000;

const noToken: Stop = { cause: 'token', message: 'There is no access token. Enter one to go on.' };

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
  /** How many plants an undo has to delete, and how many of them were changed since. */
  #toDelete = 0;
  #kept = 0;

  /** @param onChange called after each change, however many there are */
  constructor(lines: Lines, onChange: () => void, connection: Connection = {}) {
    this.#lines = lines;
    this.#onChange = onChange;
    this.#connection = connection;
  }

  get progress(): Progress {
    const isUndo = this.#task === 'undo';
    const { ready, stored } = this.#lines.counts;
    const done = isUndo ? this.#toDelete - stored : this.#done - this.#doneBefore;
    return {
      task: this.#task,
      runs: this.#runs,
      state: this.#state,
      stop: this.#stop,
      retrying: this.#retrying,
      done,
      total: isUndo ? this.#toDelete : done + ready,
      rejected: this.#lines.rejected,
      rejections: this.#lines.rejections,
      retired: this.#lines.retired,
      kept: this.#kept,
    };
  }

  get #done(): number {
    const { stored, replayed, repeated } = this.#lines.counts;
    return stored + replayed + repeated + this.#lines.rejected;
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
      this.#toDelete = this.#lines.counts.stored;
      this.#kept = 0;
    }
    this.#set('running');
    const work = () =>
      this.#task === 'undo' ? this.#deleteAll(target, signal) : this.#sendAll(target, signal);
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

  /** Resolves with why plants are left, if any are. */
  async #sendAll(target: Target, signal: AbortSignal): Promise<Stop | undefined> {
    const records = new WeakMap<NewPlantInput, number>();
    const own = this.#connect(target);
    const lines = this.#lines;
    // The result of each plant counts as soon as it comes, whatever becomes of the others.
    const createPlants: Client['createPlants'] = async (request) => {
      const sent = await own.createPlants(request);
      if (sent.status !== 200) return sent;
      const results = await replayEqual(own, request, sent.body.results);
      const reply = { ...sent, body: { results } };
      for (const [index, result] of reply.body.results.entries()) {
        const plant = request.body.plants[index];
        const record = plant && records.get(plant);
        if (record === undefined || result.status !== 200) continue;
        lines.resolve(record, result.replayed ? 'replayed' : 'stored');
      }
      this.#onChange();
      return reply;
    };
    const client = { ...own, createPlants };
    function* readPlants() {
      for (const [record, plant] of lines.readPlants('ready')) {
        records.set(plant, record);
        yield plant;
      }
    }
    const reuses = new Set<Promise<void>>();
    let stop: Stop | undefined;
    for await (const { rejections } of storeAll(client, readPlants(), { signal })) {
      for (const { plant, error, message } of rejections) {
        const record = records.get(plant);
        if (record === undefined || !ofPlant.includes(error)) stop = { cause: causeOf(error), message };
        else if (this.#task === 'reuse' && error === errors.id_retired.error) {
          const reuse = tryReuse(client, plant, signal).then((outcome) => {
            lines.resolve(record, outcome);
            reuses.delete(reuse);
            this.#onChange();
          });
          // What it rejects with is thrown where it is awaited.
          reuse.catch(() => undefined);
          if (reuses.add(reuse).size >= concurrentReuses) await Promise.race(reuses);
        } else lines.resolve(record, { error, reason: explainPlant(plant, error, message) });
        this.#onChange();
      }
    }
    await Promise.all(reuses);
    return stop;
  }

  /**
   * Deletes what was stored, but not what was there before or was changed since. Resolves with why plants are left, if any
   * are.
   */
  async #deleteAll(target: Target, signal: AbortSignal): Promise<Stop | undefined> {
    const records = new Map<string, number>();
    const added = new Map<string, NewPlant>();
    const client = this.#connect(target);
    const lines = this.#lines;
    function* readIds() {
      for (const [record, plant] of lines.readPlants('stored')) {
        records.set(String(plant.id), record);
        added.set(String(plant.id), plant);
        yield plant.id;
      }
    }
    const keep = (id: PlantId) => {
      this.#kept++;
      lines.resolve(records.get(String(id)) as number, 'replayed');
    };
    const readUnchanged = async function* () {
      for await (const { id, plant, etag = '*' } of getAll(client, readIds(), { signal })) {
        const text = String(id);
        const before = added.get(text);
        added.delete(text);
        if (plant === undefined || (before && hasSameTexts(plant, before))) yield { id, ifMatch: etag };
        else keep(id);
      }
    };
    const deletePlants: Client['deletePlants'] = async (request) => {
      const reply = await client.deletePlants(request);
      if (reply.status !== 200) return reply;
      for (const [index, result] of reply.body.results.entries()) {
        const record = records.get(String(request.body.ids[index]));
        if (record !== undefined && !('error' in result)) lines.revert(record);
      }
      this.#onChange();
      return reply;
    };
    let stop: Stop | undefined;
    for await (const { rejections } of deleteAll({ deletePlants }, readUnchanged(), { signal })) {
      for (const { id, error, message } of rejections) {
        if (error === errors.precondition_failed.error) keep(id);
        else stop = { cause: causeOf(error), message };
      }
      this.#onChange();
    }
    return stop;
  }

  #connect(target: Target): Client {
    return createClient({
      ...patientConnection,
      ...this.#connection,
      ...target,
      onResponse: ({ response }) => this.#noteAttempt(response),
    });
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

/** Stores a plant under the id of a deleted one, unless another one has it by now. */
async function tryReuse(client: Client, plant: NewPlant, signal: AbortSignal) {
  try {
    await reuseId(client, plant, { signal });
    return 'stored';
  } catch (error) {
    if (!isRejectedError(error, errors.precondition_failed.error)) throw error;
    return {
      error: errors.id_taken.error,
      reason: `The id ${plant.id} belongs to another plant. Choose another id.`,
    };
  }
}

type CreateRequest = Parameters<Client['createPlants']>[0];
type CreateResults = Extract<Awaited<ReturnType<Client['createPlants']>>, { status: 200 }>['body']['results'];

/**
 * The results of a batch, where a plant that is stored exactly as it was sent counts as replayed. The service compares a create with
 * what the plant was created as, which may have been updated since.
 */
async function replayEqual(
  client: Client,
  { body: { plants }, signal }: CreateRequest,
  results: CreateResults,
): Promise<CreateResults> {
  const isTaken = (at: number) => {
    const result = results[at];
    return result !== undefined && 'error' in result && result.error === errors.id_taken.error;
  };
  const taken = new Set(plants.filter((_, at) => isTaken(at)).map(({ id }) => String(id)));
  const stored = new Map<string, FoundPlant>();
  try {
    for await (const found of getAll(client, taken, { signal })) stored.set(String(found.id), found);
  } catch (error) {
    // Only a token that may read can tell.
    if (!isRejectedError(error, errors.insufficient_scope.error)) throw error;
  }
  return results.map((result, at) => {
    const [sent, now] = [plants[at], stored.get(String(plants[at]?.id))];
    const isEqual = isTaken(at) && sent && now?.plant && hasSameTexts(sent, now.plant);
    return isEqual ? { status: 200, replayed: true, etag: now.etag } : result;
  });
}

/** Why the service has rejected a plant; what it says to programs of an id of a deleted one the page has a button for. */
function explainPlant({ id }: NewPlant, error: number, message: string): string {
  if (error !== errors.id_retired.error) return message;
  return `The id ${id} was that of a plant that was deleted. Choose another id, or use the ids of deleted plants again.`;
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

function explain(error: unknown): Stop {
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
