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
  type ReplyOf,
  storeAll,
  updateAll,
} from '@plant-store/client';
import type { NewPlant } from '@plant-store/contract/operations';
import { explainFailure } from '../../shared/explain-failure.js';
import { reuseId } from '../../shared/reuse-id.js';
import type { Progress, StopReason, Target, Task, View } from '../protocol.js';
import type { Line, Lines } from './lines.js';

export type Connection = Pick<ClientOptions, 'fetch' | 'retries' | 'timeoutMs' | 'attemptTimeoutMs'>;

/** A batch can take long on a slow connection, and the service can take a while to restart. */
const defaultConnection: Connection = { retries: 6, timeoutMs: 120_000, attemptTimeoutMs: 30_000 };

const errorNumbersOf = (registered: readonly { readonly error: number }[]) =>
  registered.map(({ error }) => error);

/** The errors that concern only one plant (docs/use/api.md, "Errors"). Other errors would also affect the next plant. */
const plantErrors = errorNumbersOf([errors.invalid_plant, errors.body_too_large]);

/** The errors for a plant that someone else added, changed, or deleted after the review. */
const conflictErrors = errorNumbersOf([errors.id_taken, errors.precondition_failed, errors.plant_not_found]);

const outageErrors = errorNumbersOf([
  errors.overloaded,
  errors.database_unavailable,
  errors.shutting_down,
  errors.identity_provider_unavailable,
]);

/** How long to wait during an outage, once the client has used up its own retries. */
const outageDelayMs = 5_000;

/** How long to wait for the rate limit if the reply has no `Retry-After`. */
const defaultRetryAfterSeconds = 10;

export const noToken: StopReason = {
  cause: 'token',
  message: 'You are signed out. Sign in again to continue.',
};

/** The result of one item in a batch: an error number, or the `ETag` of the plant, if it has one. */
interface Result {
  readonly status?: number;
  readonly error?: number;
  readonly etag?: string;
  readonly replayed?: boolean;
}

/** Which lines to send, by state, and how to handle their results. */
interface SendOptions {
  readonly from: 'ready' | 'changed' | 'stored' | 'updated';
  onDone(line: Line, result: Result): void;
  /** Handles a line's error. Returns a reason to stop if the error also affects the other lines. */
  onRejected(line: Line, error: number, message: string): Promise<StopReason | undefined>;
}

/**
 * Sends the lines to the service. When a stopped run is started again, it sends only the lines without a result. If a plant was stored but
 * its result was lost, the service reports the second attempt as a replay.
 */
export class Run {
  readonly #lines: Lines;
  readonly #onChange: () => void;
  readonly #connection: Connection;
  #taskController = new AbortController();
  #task: Task = 'add';
  #state: Progress['state'] = 'ended';
  #stopReason: StopReason | undefined;
  #retrying: string | undefined;
  /** The message to show while the run waits for the end of an outage. */
  #outage: string | undefined;
  /** When the rate limit permits more requests, as a `performance.now()` time. */
  #limitedUntil = 0;
  /** Rejected lines whose stored plants must be read again, because someone else changed them. */
  readonly #conflicting = new Set<Line>();
  #total = 0;
  #restored = 0;

  /** @param onChange called after every change of the progress or of a line */
  constructor(lines: Lines, onChange: () => void, connection: Connection = {}) {
    this.#lines = lines;
    this.#onChange = onChange;
    this.#connection = connection;
  }

  getProgress(counts: View['counts']): Progress {
    return {
      task: this.#task,
      state: this.#state,
      stopReason: this.#stopReason,
      retrying: this.#retrying,
      restored: this.#restored,
      total: this.#total,
      done: Math.max(0, this.#total - this.#countRemaining(counts)),
    };
  }

  /** Returns the number of plants without a result. */
  #countRemaining({ ready, changed, stored, updated }: View['counts']): number {
    return this.#task === 'undo' ? stored + updated : ready + changed;
  }

  /** Why the run stopped; `undefined` if it is running, has ended, or was canceled by the person. */
  get stopReason(): StopReason | undefined {
    return this.#stopReason;
  }

  get isRunning(): boolean {
    return this.#state === 'running';
  }

  /** Starts a task, by default the one that stopped. Resolves to `stopReason` when the task ends or stops. */
  async start(target: Target, task = this.#task): Promise<StopReason | undefined> {
    this.#taskController.abort();
    this.#taskController = new AbortController();
    const { signal } = this.#taskController;
    if (this.#state === 'ended' || task !== this.#task) {
      this.#task = task;
      if (task === 'reuse')
        for (const line of this.#lines.withState('retired'))
          Object.assign(line, { problem: undefined, state: 'ready' });
      // The person saw the conflicts before starting the task, so they count as reviewed.
      if (task !== 'undo') for (const line of this.#lines.withState('conflict')) line.state = 'changed';
      this.#conflicting.clear();
      this.#total = this.#countRemaining(this.#lines.counts);
      this.#restored = 0;
    }
    this.#setState('running');
    const client = connect(target, this.#connection, ({ response }) => this.#showRetry(response));
    const attempt = () => (this.#task === 'undo' ? this.#undo(client, signal) : this.#save(client, signal));
    let stopReason = await attempt().catch(toStopReason);
    while (!signal.aborted && stopReason?.cause === 'outage') {
      this.#outage = `${stopReason.message} Trying again.`;
      this.#retrying = this.#outage;
      this.#onChange();
      await new Promise((resolve) => setTimeout(resolve, outageDelayMs));
      this.#outage = undefined;
      if (!signal.aborted) stopReason = await attempt().catch(toStopReason);
    }
    if (!signal.aborted) this.#setState(stopReason === undefined ? 'ended' : 'stopped', stopReason);
    return this.#stopReason;
  }

  /** Stops the task if it is running. Leave out the reason if the person canceled it. */
  cancel(reason?: StopReason): void {
    if (this.#state !== 'running') return;
    this.#taskController.abort();
    this.#setState('stopped', reason);
  }

  /** Adds new plants, and updates reviewed ones. */
  async #save(client: Client, signal: AbortSignal): Promise<StopReason | undefined> {
    const lines = this.#lines;
    const onDone = (line: Line, { replayed, etag }: Result) =>
      Object.assign(line, { etag, state: replayed ? 'replayed' : line.match ? 'updated' : 'stored' });
    const onRejected = async (line: Line, error: number, message: string) => {
      if (error !== errors.id_retired.error || line.plant === undefined)
        return this.#reject(line, error, message);
      // A deleted plant had this ID. Only the task `reuse` stores the new plant under it.
      if (this.#task !== 'reuse') lines.retire(line);
      else {
        const etag = await tryReuse(client, line.plant, signal);
        if (etag === undefined) this.#reject(line, errors.id_taken.error, idTaken);
        else onDone(line, { etag });
      }
      return undefined;
    };
    let stopReason = await this.#send(client, signal, { from: 'ready', onDone, onRejected });
    try {
      stopReason ??= await this.#send(client, signal, { from: 'changed', onDone, onRejected });
    } catch (error) {
      // If the token permits only adding plants, rejects the updates and keeps the added plants.
      if (!isRejectedError(error, errors.insufficient_scope.error)) throw error;
      for (const line of lines.withState('changed')) lines.reject(line, error.error, error.message);
    }
    await this.#showConflicts(client, signal);
    return stopReason;
  }

  /** Restores updated plants, and deletes added ones, unless they have changed since. */
  async #undo(client: Client, signal: AbortSignal): Promise<StopReason | undefined> {
    const onRejected = async (line: Line, error: number, message: string) => {
      if (!conflictErrors.includes(error)) return { cause: causeOf(error), message };
      line.state = 'kept';
      return undefined;
    };
    const onDone = (line: Line) => {
      if (line.state === 'updated') this.#restored++;
      line.state = line.match === undefined ? 'ready' : 'changed';
    };
    const stopReason = await this.#send(client, signal, { from: 'updated', onDone, onRejected });
    return stopReason ?? (await this.#send(client, signal, { from: 'stored', onDone, onRejected }));
  }

  /** Sends all lines in one state. Resolves to the reason to stop, or to `undefined` to continue. */
  async #send(client: Client, signal: AbortSignal, { from, onDone, onRejected }: SendOptions) {
    const lines = this.#lines;
    /** The lines in the order sent. Rejections refer to them by index, and other results by ID. */
    const sent: Line[] = [];
    const byId = new Map<string, Line>();
    function* readItems() {
      for (const line of lines.withState(from)) {
        // To undo an update, sends the plant as it was before.
        const plant =
          from === 'updated'
            ? line.plant && { ...line.match?.plant, id: line.plant.id }
            : lines.toPlant(line);
        if (plant === undefined) continue;
        sent.push(line);
        byId.set(String(plant.id), line);
        // If the `ETag` is unknown, an empty one matches no plant, so the service rejects the change as a conflict.
        const ifMatch = (from === 'changed' ? line.match?.etag : line.etag) ?? '""';
        yield (from === 'ready' ? plant : { ...plant, ifMatch }) as NewPlant & { readonly ifMatch: string };
      }
    }
    const handleResults = <R extends BatchReply>(items: readonly (string | { id?: unknown })[], reply: R) => {
      for (const [index, result] of resultsOf(reply).entries()) {
        const item = items[index];
        const line = byId.get(String(typeof item === 'object' ? item.id : item));
        if (line !== undefined && result.error === undefined) onDone(line, result);
      }
      this.#onChange();
      return reply;
    };
    // The bulk functions return only rejections, so the other results are taken from each reply.
    const batchClient: Pick<Client, 'createPlants' | 'updatePlants' | 'deletePlants'> = {
      createPlants: async (request) => handleResults(request.body.plants, await client.createPlants(request)),
      updatePlants: async (request) => handleResults(request.body.plants, await client.updatePlants(request)),
      deletePlants: async (request) => handleResults(request.body.ids, await client.deletePlants(request)),
    };
    const sendAll = () => {
      if (from === 'ready') return storeAll(batchClient, readItems(), { signal });
      return from === 'stored'
        ? deleteAll(batchClient, readItems(), { signal })
        : updateAll(batchClient, readItems(), { signal });
    };
    let stopReason: StopReason | undefined;
    for await (const { rejections } of sendAll()) {
      const reasons = rejections.map(({ index, error, message }) => {
        const line = sent[index];
        return line && onRejected(line, error, message);
      });
      stopReason = (await Promise.all(reasons)).find((reason) => reason !== undefined) ?? stopReason;
      this.#onChange();
    }
    return stopReason;
  }

  /** Marks a line as rejected. If the error affects all lines, returns the reason to stop instead. */
  #reject(line: Line, error: number, message: string): StopReason | undefined {
    const isConflict = conflictErrors.includes(error);
    if (!isConflict && !plantErrors.includes(error)) return { cause: causeOf(error), message };
    if (isConflict) this.#conflicting.add(line);
    this.#lines.reject(line, error, message, isConflict ? ['id'] : []);
    return undefined;
  }

  /** Shows what other people stored after the review, if the token permits reading plants. */
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
    // One batch can wait for the rate limit while another succeeds.
    const waitMs = this.#limitedUntil - performance.now();
    this.#retrying = describeRetry(response?.status) ?? (waitMs > 0 ? describeLimit(waitMs) : this.#outage);
    this.#onChange();
  }

  #setState(state: Progress['state'], stopReason?: StopReason): void {
    this.#state = state;
    this.#stopReason = stopReason;
    this.#retrying = undefined;
    this.#limitedUntil = 0;
    this.#onChange();
  }
}

type BatchReply = ReplyOf<'createPlants' | 'updatePlants' | 'deletePlants'>;

/** Returns the per-item results of a reply, or none if the request failed. */
function resultsOf(reply: BatchReply): readonly Result[] {
  return reply.status === 200 ? reply.body.results : [];
}

/** Creates a client with the timeouts and retries of an import. */
export function connect(
  target: Target,
  connection: Connection,
  onResponse?: ClientOptions['onResponse'],
): Client {
  return createClient({ ...defaultConnection, ...connection, ...target, ...(onResponse && { onResponse }) });
}

/** Yields each line that has a plant, with the stored plant that has the same ID, or `undefined` if there is none. */
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

/** Stores a plant under the ID of a deleted one. Returns its `ETag`, or `undefined` if another plant now has the ID. */
async function tryReuse(client: Client, plant: NewPlant, signal: AbortSignal): Promise<string | undefined> {
  try {
    return (await reuseId(client, plant, { signal })).etag ?? '""';
  } catch (error) {
    if (!isRejectedError(error, errors.precondition_failed.error)) throw error;
    return undefined;
  }
}

/** Describes why a request is retried; `undefined` for other replies, including a rate limit. Without a status, no reply came. */
function describeRetry(status: number | undefined): string | undefined {
  if (status === undefined) return 'The connection to the server failed. Trying again.';
  return status >= 500 ? 'The server cannot save plants right now. Trying again.' : undefined;
}

function describeLimit(waitMs: number): string {
  const until = new Date(Date.now() + waitMs).toLocaleTimeString();
  return `The rate limit has been reached. The import resumes at ${until}.`;
}

function causeOf(error: number): StopReason['cause'] {
  return outageErrors.includes(error) ? 'outage' : 'other';
}

/** Explains an error that affects all plants. */
export function toStopReason(error: unknown): StopReason {
  const { about, message, cause } = explainFailure(error, 'add');
  if (about === 'token') return { cause: 'token', message };
  if (isRejectedError(error)) return { cause: causeOf(error.error), message: cause };
  const isOutage =
    isNetworkError(error) ||
    isTimeoutError(error) ||
    (isUnexpectedResponseError(error) && error.status >= 500);
  return { cause: isOutage ? 'outage' : 'other', message: isPlantStoreError(error) ? cause : message };
}
