import {
  type Client,
  type ClientOptions,
  createClient,
  deleteAll,
  errors,
  getAll,
  isNetworkError,
  isPlantStoreError,
  isRejectedError,
  isTimeoutError,
  isUnexpectedResponseError,
  storeAll,
  updateAll,
} from '@plant-store/client';
import type { NewPlant } from '@plant-store/contract/operations';
import { explainFailure } from '../../shared/explain-failure.js';
import { reuseId } from '../../shared/reuse-id.js';
import type { Progress, Stop, Target, Task, View } from '../protocol.js';
import type { Line, Lines } from './lines.js';

/** How requests are sent. A batch may take long on a slow connection, and the service may take a while to restart. */
export type Connection = Pick<ClientOptions, 'fetch' | 'retries' | 'timeoutMs' | 'attemptTimeoutMs'>;

const patientConnection: Connection = { retries: 6, timeoutMs: 120_000, attemptTimeoutMs: 30_000 };

const numbersOf = (registered: readonly { readonly error: number }[]) => registered.map(({ error }) => error);

/** The errors that only concern the plant (docs/use/api.md, "Errors"). Others would affect the next plant as well. */
const ofPlant = numbersOf([errors.invalid_plant, errors.body_too_large]);

/** The errors of plants that someone else has added, changed, or deleted since the review. */
const ofConflict = numbersOf([errors.id_taken, errors.precondition_failed, errors.plant_not_found]);

/** Temporary errors, such as an outage. */
const ofOutage = numbersOf([
  errors.overloaded,
  errors.database_unavailable,
  errors.shutting_down,
  errors.identity_provider_unavailable,
]);

/** How long to wait during an outage after the client stops retrying, in milliseconds. */
const outagePauseMs = 5_000;

export const noToken: Stop = { cause: 'token', message: 'You are signed out. Sign in again to continue.' };

/** The result of an item of a batch: an error, otherwise its `ETag`, if any. */
interface Result {
  readonly error?: number;
  readonly etag?: string;
  readonly replayed?: boolean;
}

/** How to send the lines in a state, and how to handle their results. */
interface Sending {
  readonly from: 'ready' | 'changed' | 'stored' | 'updated';
  onDone(line: Line, result: Result): void;
  /** Returns why the other lines would be rejected, too, if they would. */
  onRejected(line: Line, error: number, message: string): Promise<Stop | undefined> | Stop | undefined;
}

/**
 * Sends the lines to the service. A stopped run can be started again, and then sends the lines without a result. A plant whose result was
 * lost is already stored, and is replayed.
 */
export class Run {
  readonly #lines: Lines;
  readonly #onChange: () => void;
  readonly #connection: Connection;
  #work = new AbortController();
  #task: Task = 'add';
  #state: Progress['state'] = 'ended';
  #stop: Stop | undefined;
  #retrying: string | undefined;
  /** Why it is waiting, if it is. */
  #outage: string | undefined;
  /** When the rate limit permits more requests, by `performance.now()`. */
  #limitedUntil = 0;
  /** The lines that were rejected because of another person's change that has not been read yet. */
  readonly #doubtful = new Set<Line>();
  /** How many plants the task is about, and how many of them an undo has restored. */
  #total = 0;
  #restored = 0;

  /** @param onChange called after every change */
  constructor(lines: Lines, onChange: () => void, connection: Connection = {}) {
    this.#lines = lines;
    this.#onChange = onChange;
    this.#connection = connection;
  }

  progressAt(counts: View['counts']): Progress {
    return {
      task: this.#task,
      state: this.#state,
      stop: this.#stop,
      retrying: this.#retrying,
      restored: this.#restored,
      total: this.#total,
      done: Math.max(0, this.#total - this.#countLeft(counts)),
    };
  }

  /** How many plants have no result yet. */
  #countLeft({ ready, changed, stored, updated }: View['counts']): number {
    return this.#task === 'undo' ? stored + updated : ready + changed;
  }

  /** Why it stopped; `undefined` if it is running, has ended, or was cancelled. */
  get stop(): Stop | undefined {
    return this.#stop;
  }

  get isRunning(): boolean {
    return this.#state === 'running';
  }

  /** Begins a task, by default the one that has stopped. Resolves with why it stops, if it does. */
  async start(target: Target, task = this.#task): Promise<Stop | undefined> {
    this.#work.abort();
    this.#work = new AbortController();
    const { signal } = this.#work;
    if (this.#state === 'ended' || task !== this.#task) {
      this.#task = task;
      if (task === 'reuse')
        for (const line of this.#lines.of('retired'))
          Object.assign(line, { problem: undefined, state: 'ready' });
      // The person has reviewed the conflicts since.
      if (task !== 'undo') for (const line of this.#lines.of('conflict')) line.state = 'changed';
      this.#doubtful.clear();
      this.#total = this.#countLeft(this.#lines.counts);
      this.#restored = 0;
    }
    this.#set('running');
    const client = connect(target, this.#connection, ({ response }) => this.#noteAttempt(response));
    const work = () => (this.#task === 'undo' ? this.#undo(client, signal) : this.#save(client, signal));
    let stop = await work().catch(explain);
    while (!signal.aborted && stop?.cause === 'outage') {
      this.#outage = `${stop.message} Trying again.`;
      this.#retrying = this.#outage;
      this.#onChange();
      await new Promise((resolve) => setTimeout(resolve, outagePauseMs));
      this.#outage = undefined;
      if (!signal.aborted) stop = await work().catch(explain);
    }
    if (!signal.aborted) this.#set(stop === undefined ? 'ended' : 'stopped', stop);
    return this.#stop;
  }

  cancel(stop?: Stop): void {
    if (this.#state !== 'running') return;
    this.#work.abort();
    this.#set('stopped', stop);
  }

  /** Adds plants, and updates those that the person has reviewed. Resolves with why some are left, if any are. */
  async #save(client: Client, signal: AbortSignal): Promise<Stop | undefined> {
    const lines = this.#lines;
    const onDone = (line: Line, { replayed, etag }: Result) =>
      Object.assign(line, { etag, state: replayed ? 'replayed' : line.known ? 'updated' : 'stored' });
    const onRejected = async (line: Line, error: number, message: string) => {
      if (error !== errors.id_retired.error || line.plant === undefined)
        return this.#reject(line, error, message);
      if (this.#task !== 'reuse') lines.retire(line);
      else {
        const etag = await tryReuse(client, line.plant, signal);
        if (etag === undefined) this.#reject(line, errors.id_taken.error, takenSince);
        else onDone(line, { etag });
      }
      return undefined;
    };
    let stop = await this.#send(client, signal, { from: 'ready', onDone, onRejected });
    try {
      stop ??= await this.#send(client, signal, { from: 'changed', onDone, onRejected });
    } catch (error) {
      if (!isRejectedError(error, errors.insufficient_scope.error)) throw error;
      for (const line of lines.of('changed')) lines.reject(line, error.error, error.message);
    }
    await this.#showConflicts(client, signal);
    return stop;
  }

  /**
   * Restores updated plants and deletes added ones, each only if it has not changed since. Resolves with why plants are left, if any are.
   */
  async #undo(client: Client, signal: AbortSignal): Promise<Stop | undefined> {
    const onRejected = (line: Line, error: number, message: string): Stop | undefined => {
      if (!ofConflict.includes(error)) return { cause: causeOf(error), message };
      line.state = 'kept';
      return undefined;
    };
    const onDone = (line: Line) => {
      if (line.state === 'updated') this.#restored++;
      line.state = line.known === undefined ? 'ready' : 'changed';
    };
    const stop = await this.#send(client, signal, { from: 'updated', onDone, onRejected });
    return stop ?? (await this.#send(client, signal, { from: 'stored', onDone, onRejected }));
  }

  /** Sends the lines of a state in batches, and returns why some are left, if any are. Results count as soon as their batch has a reply. */
  async #send(client: Client, signal: AbortSignal, { from, onDone, onRejected }: Sending) {
    const lines = this.#lines;
    const sent: Line[] = [];
    const byId = new Map<string, Line>();
    function* take() {
      for (const line of lines.of(from)) {
        const plant =
          from === 'updated' ? line.plant && { ...line.known?.plant, id: line.plant.id } : lines.toSend(line);
        if (plant === undefined) continue;
        sent.push(line);
        byId.set(String(plant.id), line);
        // No plant has an empty `ETag`.
        const ifMatch = (from === 'changed' ? line.known?.etag : line.etag) ?? '""';
        yield (from === 'ready' ? plant : { ...plant, ifMatch }) as NewPlant & { readonly ifMatch: string };
      }
    }
    const note = <Reply extends object>(items: readonly unknown[], reply: Reply): Reply => {
      const { results = [] } = Object('body' in reply && reply.body) as { results?: readonly Result[] };
      for (const [index, result] of results.entries()) {
        const item = items[index];
        const line = byId.get(String(typeof item === 'object' ? Object(item).id : item));
        if (line !== undefined && result.error === undefined) onDone(line, result);
      }
      this.#onChange();
      return reply;
    };
    const noting: Pick<Client, 'createPlants' | 'updatePlants' | 'deletePlants'> = {
      createPlants: async (request) => note(request.body.plants, await client.createPlants(request)),
      updatePlants: async (request) => note(request.body.plants, await client.updatePlants(request)),
      deletePlants: async (request) => note(request.body.ids, await client.deletePlants(request)),
    };
    const sendAll = () => {
      if (from === 'ready') return storeAll(noting, take(), { signal });
      return from === 'stored'
        ? deleteAll(noting, take(), { signal })
        : updateAll(noting, take(), { signal });
    };
    let stop: Stop | undefined;
    for await (const { rejections } of sendAll()) {
      const reasons = rejections.map(({ index, error, message }) => {
        const line = sent[index];
        return line && onRejected(line, error, message);
      });
      stop = (await Promise.all(reasons)).find((reason) => reason !== undefined) ?? stop;
      this.#onChange();
    }
    return stop;
  }

  /** Notes why a plant was rejected, or returns why the others would be, too. */
  #reject(line: Line, error: number, message: string): Stop | undefined {
    const isConflict = ofConflict.includes(error);
    if (!isConflict && !ofPlant.includes(error)) return { cause: causeOf(error), message };
    if (isConflict) this.#doubtful.add(line);
    this.#lines.reject(line, error, message, isConflict ? ['id'] : []);
    return undefined;
  }

  /** Shows what others have stored since the review, if the token may read it. */
  async #showConflicts(client: Client, signal: AbortSignal): Promise<void> {
    try {
      for await (const [line, found] of findStored(client, [...this.#doubtful], signal)) {
        this.#doubtful.delete(line);
        if (found === undefined) this.#lines.retire(line);
        else this.#lines.compare(line, found, false);
      }
    } catch (error) {
      if (!isRejectedError(error, errors.insufficient_scope.error)) throw error;
    }
    this.#onChange();
  }

  #noteAttempt(response: Response | undefined): void {
    if (this.#state !== 'running') return;
    if (response?.status === 429) {
      this.#limitedUntil = performance.now() + 1_000 * (Number(response.headers.get('retry-after')) || 10);
    }
    // One of two batches may wait while the other one succeeds.
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

/** Creates a client with the timeouts and retries of an import. */
export function connect(
  target: Target,
  connection: Connection,
  onResponse?: ClientOptions['onResponse'],
): Client {
  return createClient({ ...patientConnection, ...connection, ...target, ...(onResponse && { onResponse }) });
}

/** The stored plants with the ids of lines, in the order of the lines. */
export async function* findStored(
  client: Pick<Client, 'getPlants'>,
  lines: readonly Line[],
  signal: AbortSignal,
) {
  const withPlants = lines.flatMap((line) => (line.plant ? [[line, line.plant.id] as const] : []));
  const ids = withPlants.map(([, id]) => id);
  let index = 0;
  for await (const { plant, etag } of getAll(client, ids, { signal })) {
    const [line] = withPlants[index++] ?? [];
    if (line !== undefined) yield [line, plant && { plant, etag }] as const;
  }
}

const takenSince = 'Another plant now has this ID. Choose another ID.';

/** Stores a plant under the id of a deleted one, and returns its `ETag`; `undefined` if another plant has taken the id. */
async function tryReuse(client: Client, plant: NewPlant, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await reuseId(client, plant, { signal })).etag ?? '""';
  } catch (error) {
    if (!isRejectedError(error, errors.precondition_failed.error)) throw error;
    return undefined;
  }
}

/** Names the cause of a retryable failure by its status, except for the rate limit. Without a status there was no reply. */
function nameTrouble(status: number | undefined): string | undefined {
  if (status === undefined) return 'The connection to the server failed. Trying again.';
  return status >= 500 ? 'The server cannot save plants right now. Trying again.' : undefined;
}

function nameLimit(leftMs: number): string {
  const until = new Date(Date.now() + leftMs).toLocaleTimeString();
  return `The rate limit has been reached. The import resumes at ${until}.`;
}

function causeOf(error: number): Stop['cause'] {
  return ofOutage.includes(error) ? 'outage' : 'other';
}

/** Explains a failure that affects more than one plant. */
export function explain(error: unknown): Stop {
  const { about, message, cause } = explainFailure(error, 'add');
  if (about === 'token') return { cause: 'token', message };
  if (isRejectedError(error)) return { cause: causeOf(error.error), message: cause };
  const isOutage =
    isNetworkError(error) ||
    isTimeoutError(error) ||
    (isUnexpectedResponseError(error) && error.status >= 500);
  return { cause: isOutage ? 'outage' : 'other', message: isPlantStoreError(error) ? cause : message };
}
