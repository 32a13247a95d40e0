import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../config.js';
import { OperatorError } from '../errors/operator-error.js';
import { clusterStopTimeouts } from '../runtime/stop-timeouts.js';
import { withTimeout } from '../runtime/timing.js';
import { retireMs } from './run-worker.js';
import { shareLimits } from './share-limits.js';
import type { WorkerEnd, WorkerExit, WorkerProcess } from './worker-process.js';

/** What a group of workers needs. */
export interface WorkerGroupOptions extends WatchOptions {
  /** Starts a process. */
  fork(): WorkerProcess;
  /** How long a process may take to start, in milliseconds. */
  readonly startMs?: number;
  /** Called once a process has ended that was serving, with how it stopped, if it did. */
  onEnd(process: WorkerProcess, end: WorkerEnd | undefined): void;
}

/** After how long a worker that did not start is started again, in milliseconds. */
const restartMs = 1_000;
/** How long a process may take to start, in milliseconds: longer than it waits for a database. */
const startMs = 60_000;
/** How long a process that has stopped may take to end, in milliseconds. */
const endMs = 1_000;
/** How long a worker may take to drain, in milliseconds. */
const drainMs = 1_000;

/** One of the workers, by its number: a process, and later others in its place. */
interface Slot {
  readonly number: number;
  /** The process that serves connections; absent while none is. */
  serving?: WorkerProcess | undefined;
  /** The process that served before, until its last connections have ended. */
  retiring?: WorkerProcess;
  /** Present while a process is started because none serves. */
  filling?: Promise<void> | undefined;
}

/** The workers of a service. One that ends is replaced. */
export class WorkerGroup {
  readonly #options: WorkerGroupOptions;
  readonly #slots: readonly Slot[];
  /** All processes that have not ended, of which some may not serve yet, or only their last connections. */
  readonly #running = new Set<WorkerProcess>();
  readonly #served = new WeakSet<WorkerProcess>();
  readonly #watch: WorkerWatch;
  #config: Config;
  #isStopping = false;
  #isDraining = false;
  #replacing: Promise<void> = Promise.resolve();
  #replacementsWaiting = 0;

  constructor(config: Config, options: WorkerGroupOptions) {
    this.#config = config;
    this.#options = options;
    this.#watch = new WorkerWatch(() => this.serving(), options);
    this.#slots = Array.from({ length: config.workers }, (_, index) => ({ number: index + 1 }));
  }

  /**
   * Starts all workers.
   *
   * @returns the base address, which is the same for all
   * @throws {OperatorError} as `startService` does
   */
  async start(): Promise<string> {
    const [first] = await Promise.all(this.#slots.map((slot) => this.#launch(slot)));
    if (first === undefined) throw new Error('The service has no workers');
    return first.baseUrl;
  }

  /** The processes that serve connections, by the number of the worker. */
  serving(): ReadonlyMap<number, WorkerProcess> {
    const entries = this.#slots.flatMap(({ number, serving }) =>
      serving ? [[number, serving] as const] : [],
    );
    return new Map(entries);
  }

  /** Those of them that respond. */
  responding(): ReadonlyMap<number, WorkerProcess> {
    return new Map([...this.serving()].filter(([, process]) => this.#watch.isResponding(process)));
  }

  /**
   * Replaces the workers one after the other: each accepts no more connections once another one serves in its place. A call while
   * another one is running has its turn after that one, so that its settings hold in the end.
   */
  replaceAll(readConfig: () => Config): Promise<void> {
    if (this.#replacementsWaiting === 0) {
      this.#replacementsWaiting++;
      this.#replacing = this.#replacing.then(() => {
        this.#replacementsWaiting--;
        return this.#replaceEach(readConfig);
      });
    }
    return this.#replacing;
  }

  /** Makes all workers close each connection with its next reply; resolves once they do, or after a second. */
  async drain(): Promise<void> {
    this.#isDraining = true;
    const drained = Array.from(this.#running, (process) => process.ask('drain'));
    await withTimeout(Promise.allSettled(drained), drainMs, () => undefined);
  }

  /**
   * Stops all workers, and starts no more.
   *
   * @returns whether all of them answered their requests, and closed the database, in time
   */
  async stop(): Promise<boolean> {
    this.#isStopping = true;
    this.#watch.stop();
    const timeoutMs = this.#stopTimeoutMs();
    const results = await Promise.all(
      [...this.#running].map((process) => this.#end(process, 'stop', timeoutMs)),
    );
    return results.every((end) => end?.inTime === true);
  }

  /** Starts a process for a worker, which replaces the one that serves. */
  async #launch(slot: Slot): Promise<{ readonly pid: number; readonly baseUrl: string }> {
    const process = this.#options.fork();
    this.#running.add(process);
    void process.ended.then((exit) => this.#onExit(slot, process, exit));
    try {
      const config = shareLimits(this.#config, this.#slots.length);
      const start = process.ask('start', { config, worker: slot.number });
      const baseUrl = await withTimeout(start, this.#options.startMs ?? startMs, () => {
        process.kill();
        throw new OperatorError('The worker did not start in time.');
      });
      this.#served.add(process);
      this.#serve(slot, process);
      return { pid: process.pid, baseUrl };
    } catch (error) {
      process.disconnect();
      throw error;
    }
  }

  #serve(slot: Slot, process: WorkerProcess): void {
    if (this.#isDraining) void process.ask('drain').catch(() => undefined);
    const { serving: previous, retiring } = slot;
    slot.serving = process;
    // It may have ended meanwhile.
    if (previous === undefined || !this.#running.has(previous)) return;
    slot.retiring = previous;
    void this.#end(previous, 'retire', retireMs + this.#stopTimeoutMs());
    // However often workers are replaced, no more than one of each has only its last connections.
    if (retiring !== undefined && this.#running.has(retiring))
      void this.#end(retiring, 'stop', this.#stopTimeoutMs());
  }

  #onExit(slot: Slot, process: WorkerProcess, exit: WorkerExit): void {
    // One that has stopped has been reported already, and one that did not start is an error of its start.
    if (this.#running.delete(process) && this.#served.has(process)) {
      this.#options.onEnd(process, undefined);
      this.#options.log.error({ worker: slot.number, pid: process.pid, ...exit }, 'worker ended');
    }
    if (slot.serving !== process) return;
    slot.serving = undefined;
    if (!this.#isStopping) void this.#fill(slot);
  }

  /** Starts processes for a worker that has none, until one serves. */
  #fill(slot: Slot): Promise<void> {
    slot.filling ??= this.#launchUntilServing(slot).finally(() => {
      slot.filling = undefined;
    });
    return slot.filling;
  }

  async #launchUntilServing(slot: Slot): Promise<void> {
    while (!this.#isStopping && slot.serving === undefined) {
      try {
        const { pid } = await this.#launch(slot);
        this.#options.log.info({ worker: slot.number, pid }, 'worker started');
      } catch (error) {
        if (this.#isStopping) return;
        this.#options.log.error({ worker: slot.number, err: error }, 'worker did not start');
        await delay(restartMs);
      }
    }
  }

  async #replaceEach(readConfig: () => Config): Promise<void> {
    const { log } = this.#options;
    const previousConfig = this.#config;
    try {
      this.#config = readConfig();
    } catch (error) {
      log.error({ err: error }, 'workers were not replaced');
      return;
    }
    for (const slot of this.#slots) {
      if (this.#isStopping) return;
      try {
        await this.#replace(slot);
      } catch (error) {
        // A worker that ends later must start again, which it did with these.
        this.#config = previousConfig;
        log.error({ worker: slot.number, err: error }, 'worker was not replaced');
        return;
      }
    }
    log.info({ workers: this.#slots.length }, 'workers replaced');
  }

  async #replace(slot: Slot): Promise<void> {
    // One that is started again and again gets the new settings.
    if (slot.serving === undefined) void this.#fill(slot);
    else await this.#launch(slot);
  }

  #stopTimeoutMs(): number {
    return this.#config.shutdownTimeoutMs + clusterStopTimeouts.workersMs;
  }

  /**
   * Stops a process, and ends it if it is late. It never rejects; what goes wrong is logged.
   *
   * @param how `retire` waits until its connections have ended
   * @returns how it stopped; `undefined` if it did not
   */
  async #end(
    process: WorkerProcess,
    how: 'stop' | 'retire',
    timeoutMs: number,
  ): Promise<WorkerEnd | undefined> {
    const { log, onEnd } = this.#options;
    const { pid } = process;
    const stopped = process.ask(how).catch((error: unknown) => {
      // That a process has ended by itself is logged elsewhere.
      if (process.isRunning()) log.error({ pid, err: error }, 'worker did not stop');
      return undefined;
    });
    const end = await withTimeout(stopped, timeoutMs, () => {
      log.error({ pid, timeoutMs }, 'worker did not stop in time');
      process.kill();
      return undefined;
    });
    if (this.#running.delete(process)) onEnd(process, end);
    process.disconnect();
    await withTimeout(process.ended, endMs, process.kill);
    return end;
  }
}

/** How workers are watched. */
interface WatchOptions {
  readonly log: Logger;
  /** How often each is asked for an answer, in milliseconds; by default a second. */
  readonly watchEveryMs?: number;
}

/** For how many times without an answer a worker is ended: after a turn of its event loop that long none recovers. */
const endAfter = 30;

/** What is known of a worker. */
interface WatchedWorker {
  /** How often it was asked since it has answered. */
  unanswered: number;
}

/** Watches whether workers answer. */
class WorkerWatch {
  readonly #workers = new Map<WorkerProcess, WatchedWorker>();
  readonly #log: Logger;
  readonly #timer: NodeJS.Timeout;

  /** @param serving the workers, by their number */
  constructor(
    serving: () => ReadonlyMap<number, WorkerProcess>,
    { log, watchEveryMs = 1_000 }: WatchOptions,
  ) {
    this.#log = log;
    // After what has arrived is read: it may include the answers, if this process itself was busy for so long.
    this.#timer = setInterval(() => setImmediate(() => this.#ask(serving())), watchEveryMs).unref();
  }

  /** Whether a worker has answered when it was asked last. */
  isResponding(process: WorkerProcess): boolean {
    return (this.#workers.get(process)?.unanswered ?? 0) <= 1;
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #ask(serving: ReadonlyMap<number, WorkerProcess>): void {
    const running = new Set(serving.values());
    for (const process of this.#workers.keys()) if (!running.has(process)) this.#workers.delete(process);
    for (const [worker, process] of serving) {
      const watched = this.#workers.get(process) ?? { unanswered: 0 };
      this.#workers.set(process, watched);
      if (watched.unanswered++ === 0) void this.#ping(worker, process, watched);
      else this.#report(worker, process, watched);
    }
  }

  /** Asks a worker, which has no other question to answer. */
  async #ping(worker: number, process: WorkerProcess, watched: WatchedWorker): Promise<void> {
    try {
      await process.ask('ping');
    } catch {
      // It has ended.
      return;
    }
    if (watched.unanswered > 1) this.#log.info({ worker, pid: process.pid }, 'worker responds again');
    watched.unanswered = 0;
  }

  #report(worker: number, process: WorkerProcess, { unanswered }: WatchedWorker): void {
    const { pid } = process;
    if (unanswered === 2) this.#log.warn({ worker, pid }, 'worker does not respond');
    if (unanswered !== endAfter + 1) return;
    this.#log.error({ worker, pid }, 'worker hangs');
    process.kill();
  }
}
