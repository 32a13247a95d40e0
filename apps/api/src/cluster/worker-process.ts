import cluster from 'node:cluster';
import type { Config } from '../config.js';
import { OperatorError } from '../errors/operator-error.js';
import type { MetricValues } from '../observe/metrics.js';
import type { Readiness } from '../observe/readiness.js';

/** What the primary process asks of a worker, and the worker answers. */
export interface WorkerQuestions {
  /**
   * Starts the service, whose base address is returned.
   *
   * @param config the settings of this worker, with its share of those limits that hold for all workers together
   * @param worker its number, from 1; one that replaces another has its number
   * @throws {OperatorError} as `startService` does
   */
  start(config: Config, worker: number): Promise<string>;
  /** Answered as soon as the worker can: one that hangs does not. */
  ping(): Promise<void>;
  readiness(): Promise<Readiness>;
  /** None without `ADMIN_PORT`. */
  metrics(): Promise<MetricValues>;
  /** Closes each connection with its next reply from now on. */
  drain(): Promise<void>;
  /** Accepts no more connections, and stops once all have ended, each with a reply. */
  retire(): Promise<WorkerEnd>;
  /** Stops as `Service.stop` does. */
  stop(): Promise<WorkerEnd>;
}

/**
 * How long a worker that is replaced keeps connections without a request, in milliseconds: longer than the server keeps any,
 * so that none is closed in the moment in which its client sends a request.
 */
export const retireMs = 90_000;

/** How a worker has stopped. */
export interface WorkerEnd {
  /** Whether all requests in flight were answered, and the database closed, within the configured time. */
  readonly inTime: boolean;
  /** Its last metrics. */
  readonly metrics: MetricValues;
}

/** A question as it is sent, with a number that its answer has, too. */
export interface Question {
  readonly number: number;
  readonly name: keyof WorkerQuestions;
  readonly args: readonly unknown[];
}

/** The answer to a question, or why there is none, with the exit status of an `OperatorError`. */
export type Answer =
  | { readonly number: number; readonly value: unknown }
  | { readonly number: number; readonly error: string; readonly exitCode?: 1 | 2 };

/** What a worker sends once it gets what it is asked: Node.js keeps no message for a listener that is added later. */
export const listening = 'listening';

/** How a process has ended. */
export interface WorkerExit {
  readonly status: number | null;
  readonly signal: string | null;
  /** Why it could not be started. */
  readonly error?: Error;
}

/** A process that serves requests, as the primary process has it. */
export type WorkerProcess = ReturnType<typeof forkWorker>;

/** How the processes of workers are started. */
export interface WorkerProgram {
  /** The file that they run; by default that of this process. */
  readonly file?: string;
  /** Called with what a worker writes to its standard output; by default that is the standard output of this process. */
  readonly onOutput?: (chunk: Buffer) => void;
}

/**
 * Starts the process of a worker, which waits for the question `start`. Workers accept connections from one socket, which the
 * system shares among them: none passes through this process.
 */
export function forkWorker({ file, onOutput }: WorkerProgram) {
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({
    exec: file ?? process.argv[1] ?? '',
    args: ['worker'],
    ...(file !== undefined && { execArgv: [] }),
    // JSON has neither `undefined` nor `Infinity`.
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
    // Any other error is that a message did not reach a process that is ending.
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
   * Asks the worker.
   *
   * @throws what the worker throws, as an `OperatorError` if it was one; or that the worker has ended
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
    /** Its process id; 0 if it could not be started. */
    pid: child.pid ?? 0,
    ask,
    ended,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    /** Lets it end by itself, since it has stopped; a process that has not is stopped at once. */
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
  return `The worker ended with ${signal ?? `status ${status}`}.`;
}
