import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../config.js';
import { OperatorError } from '../errors/operator-error.js';
import { clusterStopTimeouts, withTimeout } from '../runtime/timing.js';
import { retireMs, type WorkerEnd, type WorkerExit, type WorkerProcess } from './worker-process.js';

export interface WorkerGroupOptions {
  readonly log: Logger;
  fork(): WorkerProcess;
  /** Called when a process has ended, unless it failed to start. `end` says how it stopped; `undefined` if it did not stop properly. */
  onEnd(process: WorkerProcess, end: WorkerEnd | undefined): void;
  /** How long to wait for a process to start, in milliseconds. The default is longer than a process waits for its database. */
  readonly startMs?: number;
  /** How often each process is checked, in milliseconds. */
  readonly watchEveryMs?: number;
}

/** After this many checks without an answer, a process is killed. No process recovers after blocking its event loop that long. */
const killAfterChecks = 30;
/** How long to wait before a worker that failed to start is started again, in milliseconds. */
const restartMs = 1_000;
/** How long to wait for a stopped process to end before it is killed, in milliseconds. */
const endMs = 1_000;
/** How long to wait for the workers to confirm that they drain, in milliseconds. */
const drainMs = 1_000;

/** A numbered worker, whose process is replaced over time. */
interface Slot {
  readonly number: number;
  serving?: Serving | undefined;
  /** The previous process, until its last connections have ended. */
  retiring?: WorkerProcess;
  /** Whether a process is being started because none serves. */
  isFilling?: boolean;
}

interface Serving {
  readonly process: WorkerProcess;
  /** How many checks have passed without an answer to the last ping. */
  unanswered: number;
}

/** The workers of a service. A worker that ends, or does not respond for long, is replaced. */
export class WorkerGroup {
  readonly #options: WorkerGroupOptions;
  readonly #slots: readonly Slot[];
  /** All processes that have not ended, including those that are starting or retiring. */
  readonly #running = new Set<WorkerProcess>();
  readonly #served = new WeakSet<WorkerProcess>();
  #config: Config;
  #isStopping = false;
  #isDraining = false;
  #replacing: Promise<void> = Promise.resolve();
  #isReplacementWaiting = false;

  /** @param config the settings of each worker, and how many there are */
  constructor(config: Config, options: WorkerGroupOptions) {
    this.#config = config;
    this.#options = options;
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

  /** Returns the processes that serve connections, by worker number. */
  serving(): ReadonlyMap<number, WorkerProcess> {
    return this.#servingWhere(() => true);
  }

  /** Returns the serving processes that answered the last ping, by worker number. */
  responding(): ReadonlyMap<number, WorkerProcess> {
    return this.#servingWhere(({ unanswered }) => unanswered <= 1);
  }

  #servingWhere(matches: (serving: Serving) => boolean): ReadonlyMap<number, WorkerProcess> {
    const entries = this.#slots.flatMap(({ number, serving }) =>
      serving && matches(serving) ? [[number, serving.process] as const] : [],
    );
    return new Map(entries);
  }

  /**
   * Replaces the workers one after the other. Each stops accepting connections once its replacement serves. A call during another
   * replacement runs after it, so that the latest settings win.
   */
  replaceAll(readConfig: () => Config): Promise<void> {
    if (!this.#isReplacementWaiting) {
      this.#isReplacementWaiting = true;
      this.#replacing = this.#replacing.then(() => {
        this.#isReplacementWaiting = false;
        return this.#replaceEach(readConfig);
      });
    }
    return this.#replacing;
  }

  /** Makes all workers close each connection with its next reply. Resolves when all have confirmed, or after a second. */
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
    const ends = await Promise.all(Array.from(this.#running, (process) => this.#end(process, 'stop')));
    return ends.every((end) => end?.inTime === true);
  }

  /** Starts a new process for a worker, which then replaces the serving one. */
  async #launch(slot: Slot): Promise<{ readonly pid: number; readonly baseUrl: string }> {
    const { fork, startMs = 60_000 } = this.#options;
    const process = fork();
    this.#running.add(process);
    void process.ended.then((exit) => this.#onExit(slot, process, exit));
    try {
      const started = process.ask('start', this.#config, slot.number);
      const baseUrl = await withTimeout(started, startMs, () => {
        process.kill();
        throw new OperatorError('The worker did not start in time.');
      });
      this.#serve(slot, process);
      return { pid: process.pid, baseUrl };
    } catch (error) {
      process.disconnect();
      throw error;
    }
  }

  #serve(slot: Slot, process: WorkerProcess): void {
    this.#served.add(process);
    if (this.#isDraining) void process.ask('drain').catch(() => undefined);
    const { serving: previous, retiring } = slot;
    slot.serving = { process, unanswered: 0 };
    this.#watch(slot, slot.serving);
    // The previous process may have ended in the meantime.
    if (previous === undefined || !this.#running.has(previous.process)) return;
    slot.retiring = previous.process;
    void this.#end(previous.process, 'retire');
    // At most one process per worker retires, no matter how often workers are replaced.
    if (retiring !== undefined && this.#running.has(retiring)) void this.#end(retiring, 'stop');
  }

  /** Pings a process while it serves, and kills it if it hangs. */
  #watch(slot: Slot, serving: Serving): void {
    const { log, watchEveryMs = 1_000 } = this.#options;
    const { process } = serving;
    const fields = { worker: slot.number, pid: process.pid };
    const onAnswer = () => {
      if (serving.unanswered > 1) log.info(fields, 'worker responds again');
      serving.unanswered = 0;
    };
    const check = () => {
      if (slot.serving !== serving || this.#isStopping) return clearInterval(timer);
      serving.unanswered++;
      // An error means that the process has ended.
      if (serving.unanswered === 1) process.ask('ping').then(onAnswer, () => undefined);
      if (serving.unanswered === 2) log.warn(fields, 'worker is not responding');
      if (serving.unanswered !== killAfterChecks + 1) return;
      log.error(fields, 'worker hangs');
      process.kill();
    };
    // Checks after pending messages are read: if this process was busy, they may include the answers.
    const timer = setInterval(() => setImmediate(check), watchEveryMs).unref();
  }

  #onExit(slot: Slot, process: WorkerProcess, exit: WorkerExit): void {
    // A process that was stopped has been reported already, and one that failed to start is reported by its start.
    if (this.#running.delete(process) && this.#served.has(process)) {
      this.#options.onEnd(process, undefined);
      this.#options.log.error({ worker: slot.number, pid: process.pid, ...exit }, 'worker ended');
    }
    if (slot.serving?.process !== process) return;
    slot.serving = undefined;
    void this.#fill(slot);
  }

  /** Starts processes for a worker that has none, until one serves. */
  async #fill(slot: Slot): Promise<void> {
    if (slot.isFilling) return;
    slot.isFilling = true;
    const { log } = this.#options;
    while (!this.#isStopping && slot.serving === undefined) {
      try {
        const { pid } = await this.#launch(slot);
        log.info({ worker: slot.number, pid }, 'worker started');
      } catch (error) {
        if (this.#isStopping) return;
        log.error({ worker: slot.number, err: error }, 'worker did not start');
        await delay(restartMs);
      }
    }
    slot.isFilling = false;
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
        // If the worker keeps failing to start, its next attempt uses the new settings.
        if (slot.serving === undefined) void this.#fill(slot);
        else await this.#launch(slot);
      } catch (error) {
        // A worker that ends later restarts with the settings that are known to work.
        this.#config = previousConfig;
        log.error({ worker: slot.number, err: error }, 'worker was not replaced');
        return;
      }
    }
    log.info({ workers: this.#slots.length }, 'workers replaced');
  }

  /**
   * Stops a process, and kills it if it does not stop in time. Never rejects; errors are logged.
   *
   * @param how `retire` waits until the process's connections have ended
   * @returns how the process stopped; `undefined` if it did not
   */
  async #end(process: WorkerProcess, how: 'stop' | 'retire'): Promise<WorkerEnd | undefined> {
    const { log, onEnd } = this.#options;
    const { pid } = process;
    const stopMs = this.#config.shutdownTimeoutMs + clusterStopTimeouts.workersMs;
    const timeoutMs = how === 'retire' ? retireMs + stopMs : stopMs;
    const stopped = process.ask(how).catch((error: unknown) => {
      // A process that ended unexpectedly is logged in `#onExit`.
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
