import type { Logger } from 'pino';
import type { WorkerProcess } from './worker-process.js';

/** How workers are watched. */
export interface WatchOptions {
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
  connections: number;
}

/** Watches whether workers answer. */
export class WorkerWatch {
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
    let connections = 0;
    for (const watched of this.#workers.values()) connections += watched.connections;
    const share = connections / Math.max(serving.size, 1);
    for (const [worker, process] of serving) {
      const watched = this.#workers.get(process) ?? { unanswered: 0, connections: 0 };
      this.#workers.set(process, watched);
      if (watched.unanswered++ === 0) void this.#ping(worker, process, watched, share);
      else this.#report(worker, process, watched);
    }
  }

  /** Asks a worker, which has no other question to answer. */
  async #ping(worker: number, process: WorkerProcess, watched: WatchedWorker, share: number): Promise<void> {
    try {
      watched.connections = await process.calls.call('ping', share);
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
