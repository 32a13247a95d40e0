import cluster from 'node:cluster';
import type { Config } from '../config.js';
import { OperatorError } from '../errors/operator-error.js';
import type { MetricValues } from '../observe/metrics.js';
import type { Readiness } from '../observe/readiness.js';

/** The questions that the primary process asks a worker over IPC. */
export interface WorkerQuestions {
  /**
   * Starts the service, and returns its base address.
   *
   * @param config the worker's settings, with its share of the limits that apply to all workers together
   * @param worker the worker's number, from 1; a replacement keeps the number
   * @throws {OperatorError} as `startService` does
   */
  start(config: Config, worker: number): Promise<string>;
  /** Resolves immediately, unless the worker hangs. */
  ping(): Promise<void>;
  readiness(): Promise<Readiness>;
  /** Returns the worker's metrics; none if the service does not export metrics. */
  metrics(): Promise<MetricValues>;
  /** Makes the worker close each connection with its next reply. */
  drain(): Promise<void>;
  /** Stops accepting connections, closes each open connection with its next reply, and stops when all are closed. */
  retire(): Promise<WorkerEnd>;
  /** Stops as `Service.stop` does. */
  stop(): Promise<WorkerEnd>;
}

/**
 * How long a retiring worker keeps idle connections, in milliseconds. Longer than the server's keep-alive timeout, so that no connection is
 * closed just as its client sends a request.
 */
export const retireMs = 90_000;

export interface WorkerEnd {
  /** Whether all requests in flight were answered, and the database closed, within the configured time. */
  readonly inTime: boolean;
  readonly metrics: MetricValues;
}

/** A question as sent over IPC. Its answer has the same number. */
export interface Question {
  readonly number: number;
  readonly name: keyof WorkerQuestions;
  readonly args: readonly unknown[];
}

/** The answer to a question, or the error, with the exit status of an `OperatorError`. */
export type Answer =
  | { readonly number: number; readonly value: unknown }
  | { readonly number: number; readonly error: string; readonly exitCode?: 1 | 2 };

/** Sent by a worker once it listens for messages. Node.js does not buffer messages for listeners that are added later. */
export const listening = 'listening';

export interface WorkerExit {
  readonly status: number | null;
  readonly signal: string | null;
  /** Why the process could not be started. */
  readonly error?: Error;
}

/** The primary process's handle of a worker process. */
export type WorkerProcess = ReturnType<typeof forkWorker>;

export interface WorkerProgram {
  /** The file to run; by default, the file that this process runs. */
  readonly file?: string;
  /** Called with a worker's standard output. By default, workers share this process's output. */
  readonly onOutput?: (chunk: Buffer) => void;
}

/**
 * Starts a worker process, which waits for the question `start`. Workers accept connections directly from a shared socket. Connections do
 * not pass through this process.
 */
export function forkWorker({ file, onOutput }: WorkerProgram) {
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({
    exec: file ?? process.argv[1] ?? '',
    args: ['worker'],
    ...(file !== undefined && { execArgv: [] }),
    // JSON cannot represent `undefined` and `Infinity`.
    serialization: 'advanced',
    silent: onOutput !== undefined,
  });
  const { process: child } = cluster.fork();
  if (onOutput !== undefined) {
    child.stdout?.on('data', onOutput);
    child.stderr?.pipe(process.stderr);
  }
  const ended = new Promise<WorkerExit>((resolve) => {
    child.once('exit', (status, signal) => resolve({ status, signal }));
    // Other errors mean that a message did not reach a process that is ending.
    child.on('error', (error) => child.pid === undefined && resolve({ status: null, signal: null, error }));
  });

  const waiting = new Map<number, (answer: Answer) => void>();
  let lastNumber = 0;
  const ready = Promise.withResolvers<void>();
  child.on('message', (message) => {
    const answer = message as Answer | typeof listening;
    if (answer === listening) ready.resolve();
    else waiting.get(answer.number)?.(answer);
  });

  /**
   * Asks the worker a question.
   *
   * @throws the worker's error, as an `OperatorError` if it was one; or an error if the worker has ended
   */
  async function ask<Name extends keyof WorkerQuestions>(
    name: Name,
    ...args: Parameters<WorkerQuestions[Name]>
  ): Promise<Awaited<ReturnType<WorkerQuestions[Name]>>> {
    await Promise.race([ready.promise, ended]);
    const number = ++lastNumber;
    const answered = new Promise<Answer>((resolve) => waiting.set(number, resolve));
    // An error means that the process has ended.
    child.send({ number, name, args } satisfies Question, () => undefined);
    const answer = await Promise.race([answered, ended]);
    waiting.delete(number);
    if ('value' in answer) return answer.value as Awaited<ReturnType<WorkerQuestions[Name]>>;
    if (!('number' in answer)) throw new OperatorError(describeExit(answer));
    const { error, exitCode } = answer;
    throw exitCode === undefined ? new Error(error) : new OperatorError(error, { exitCode });
  }

  return {
    /** The process ID; 0 if the process could not be started. */
    pid: child.pid ?? 0,
    ask,
    ended,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    /** Closes the IPC channel, so that a stopped worker can exit. A worker that has not stopped is ended immediately. */
    disconnect(): void {
      if (child.connected) child.disconnect();
    },
    kill(): void {
      child.kill('SIGKILL');
    },
  };
}

function describeExit({ status, signal, error }: WorkerExit): string {
  if (error !== undefined) return `A worker could not be started: ${error.message}.`;
  return `The worker exited with ${signal ?? `status ${status}`}.`;
}
