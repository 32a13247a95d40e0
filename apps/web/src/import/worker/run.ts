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

export type Connection = Pick<ClientOptions, 'fetch' | 'retries' | 'timeoutMs' | 'attemptTimeoutMs'>;

/** A batch may take long on a slow connection, and the service may take a while to restart. */
const defaultConnection: Connection = { retries: 6, timeoutMs: 120_000, attemptTimeoutMs: 30_000 };

const errorNumbersOf = (registered: readonly { readonly error: number }[]) =>
  registered.map(({ error }) => error);

/** The errors that only concern one plant (docs/use/api.md, "Errors"). Other errors would also affect the next plant. */
const plantErrors = errorNumbersOf([errors.invalid_plant, errors.body_too_large]);

/** The errors of plants that someone else added, changed, or deleted after the review. */
const conflictErrors = errorNumbersOf([errors.id_taken, errors.precondition_failed, errors.plant_not_found]);

const outageErrors = errorNumbersOf([
  errors.overloaded,
  errors.database_unavailable,
  errors.shutting_down,
  errors.identity_provider_unavailable,
]);

/** How long to wait during an outage after the client gave up. */
const outagePauseMs = 5_000;

/** The wait for a rate limit if the reply does not name one. */
const defaultRetryAfterSeconds = 10;

export const noToken: Stop = { cause: 'token', message: 'You are signed out. Sign in again to continue.' };

/** The result of an item of a batch: an error, or the `ETag` if there is one. */
interface Result {
  readonly error?: number;
  readonly etag?: string;
  readonly replayed?: boolean;
}

/** How to send the lines in a state, and how to handle their results. */
interface Sending {
  readonly from: 'ready' | 'changed' | 'stored' | 'updated';
  onDone(line: Line, result: Result): void;
  /** Returns a reason that also affects the other lines, if there is one. */
  onRejected(line: Line, error: number, message: string): Promise<Stop | undefined> | Stop | undefined;
}

/**
 * Sends the lines to the service. A run that stopped can be started again, and then sends the lines without a result. If the result of a
 * stored plant was lost, the plant is replayed.
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
  /** Why it waits after an outage, if it does. */
  #outage: string | undefined;
  /** When the rate limit permits more requests, by `performance.now()`. */
  #limitedUntil = 0;
  /** The rejected lines whose stored plants must be read, because someone else changed them. */
  readonly #conflicting = new Set<Line>();
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

  /** The number of plants without a result. */
  #countLeft({ ready, changed, stored, updated }: View['counts']): number {
    return this.#task === 'undo' ? stored + updated : ready + changed;
  }

  /** Why it stopped. `undefined` if it is running, has ended, or was canceled. */
  get stop(): Stop | undefined {
    return this.#stop;
  }

  get isRunning(): boolean {
    return this.#state === 'running';
  }

  /** Starts a task, by default the one that stopped. Resolves to why it stops, or `undefined` when it ends. */
  async start(target: Target, task = this.#task): Promise<Stop | undefined> {
    this.#work.abort();
    this.#work = new AbortController();
    const { signal } = this.#work;
    if (this.#state === 'ended' || task !== this.#task) {
      this.#task = task;
      if (task === 'reuse')
        for (const line of this.#lines.of('retired'))
          Object.assign(line, { problem: undefined, state: 'ready' });
      // The person has now reviewed the conflicts.
      if (task !== 'undo') for (const line of this.#lines.of('conflict')) line.state = 'changed';
      this.#conflicting.clear();
      this.#total = this.#countLeft(this.#lines.counts);
      this.#restored = 0;
    }
    this.#set('running');
    const client = connect(target, this.#connection, ({ response }) => this.#showRetry(response));
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

  /** Adds plants, and updates reviewed plants. Resolves to why it stopped, if it did. */
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
        if (etag === undefined) this.#reject(line, errors.id_taken.error, idTaken);
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

  /** Restores updated plants, and deletes added ones, unless they have changed since then. Resolves to why it stopped, if it did. */
  async #undo(client: Client, signal: AbortSignal): Promise<Stop | undefined> {
    const onRejected = (line: Line, error: number, message: string): Stop | undefined => {
      if (!conflictErrors.includes(error)) return { cause: causeOf(error), message };
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

  /** Sends the lines of a state in batches, and handles results as soon as their batch has a reply. Returns why it stopped, if it did. */
  async #send(client: Client, signal: AbortSignal, { from, onDone, onRejected }: Sending) {
    const lines = this.#lines;
    const sent: Line[] = [];
    const byId = new Map<string, Line>();
    function* readItems() {
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
    const handleResults = <Reply extends object>(items: readonly unknown[], reply: Reply): Reply => {
      const { results = [] } = Object('body' in reply && reply.body) as { results?: readonly Result[] };
      for (const [index, result] of results.entries()) {
        const item = items[index];
        const line = byId.get(String(typeof item === 'object' ? Object(item).id : item));
        if (line !== undefined && result.error === undefined) onDone(line, result);
      }
      this.#onChange();
      return reply;
    };
    const batches: Pick<Client, 'createPlants' | 'updatePlants' | 'deletePlants'> = {
      createPlants: async (request) => handleResults(request.body.plants, await client.createPlants(request)),
      updatePlants: async (request) => handleResults(request.body.plants, await client.updatePlants(request)),
      deletePlants: async (request) => handleResults(request.body.ids, await client.deletePlants(request)),
    };
    const sendAll = () => {
      if (from === 'ready') return storeAll(batches, readItems(), { signal });
      return from === 'stored'
        ? deleteAll(batches, readItems(), { signal })
        : updateAll(batches, readItems(), { signal });
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

  /** Rejects one line, or returns a reason that affects all lines. */
  #reject(line: Line, error: number, message: string): Stop | undefined {
    const isConflict = conflictErrors.includes(error);
    if (!isConflict && !plantErrors.includes(error)) return { cause: causeOf(error), message };
    if (isConflict) this.#conflicting.add(line);
    this.#lines.reject(line, error, message, isConflict ? ['id'] : []);
    return undefined;
  }

  /** Shows what other people stored after the review, if the token may read it. */
  async #showConflicts(client: Client, signal: AbortSignal): Promise<void> {
    try {
      for await (const [line, found] of findStored(client, [...this.#conflicting], signal)) {
        this.#conflicting.delete(line);
        if (found === undefined) this.#lines.retire(line);
        else this.#lines.compare(line, found, false);
      }
    } catch (error) {
      if (!isRejectedError(error, errors.insufficient_scope.error)) throw error;
    }
    this.#onChange();
  }

  #showRetry(response: Response | undefined): void {
    if (this.#state !== 'running') return;
    if (response?.status === 429) {
      this.#limitedUntil =
        performance.now() + 1_000 * (Number(response.headers.get('retry-after')) || defaultRetryAfterSeconds);
    }
    // A batch may wait for the rate limit while another one succeeds.
    const leftMs = this.#limitedUntil - performance.now();
    this.#retrying = describeRetry(response?.status) ?? (leftMs > 0 ? describeLimit(leftMs) : this.#outage);
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
  return createClient({ ...defaultConnection, ...connection, ...target, ...(onResponse && { onResponse }) });
}

/** Reads the stored plants with the IDs of lines, in the order of the lines. */
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

const idTaken = 'Another plant now has this ID. Choose another ID.';

/** Stores a plant under the ID of a deleted one, and returns its `ETag`. `undefined` if another plant now has the ID. */
async function tryReuse(client: Client, plant: NewPlant, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await reuseId(client, plant, { signal })).etag ?? '""';
  } catch (error) {
    if (!isRejectedError(error, errors.precondition_failed.error)) throw error;
    return undefined;
  }
}

/** Describes why a request is retried, except for the rate limit. Without a status, there was no reply. */
function describeRetry(status: number | undefined): string | undefined {
  if (status === undefined) return 'The connection to the server failed. Trying again.';
  return status >= 500 ? 'The server cannot save plants right now. Trying again.' : undefined;
}

function describeLimit(leftMs: number): string {
  const until = new Date(Date.now() + leftMs).toLocaleTimeString();
  return `The rate limit has been reached. The import resumes at ${until}.`;
}

function causeOf(error: number): Stop['cause'] {
  return outageErrors.includes(error) ? 'outage' : 'other';
}

/** Explains a failure that affects all plants. */
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
