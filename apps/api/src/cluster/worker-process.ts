import cluster, { type Worker } from 'node:cluster';
import type { Registry } from '@prometheus-io/client';
import type { Config } from '../config.js';
import { messageOf, OperatorError } from '../errors/operator-error.js';
import type { Readiness } from '../observe/readiness.js';

/** The metrics of a process, as they are sent to another one. */
export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** What the primary process asks of a worker: for each question its argument and its answer. */
export type WorkerQuestions = {
  /**
   * Starts the service. The answer is its base address.
   *
   * @throws {OperatorError} as `startService` does
   */
  readonly start: (start: WorkerStart) => Promise<string>;
  /** Answered as soon as the worker can: one that hangs does not. */
  readonly ping: () => Promise<void>;
  /** Whether the worker accepts creates. */
  readonly readiness: () => Promise<Readiness>;
  /** The metrics of the worker, with `ADMIN_PORT`. */
  readonly metrics: () => Promise<MetricValues>;
  /** Closes each connection with its next reply from now on. */
  readonly drain: () => Promise<void>;
  /** Accepts no more connections, and stops once all have ended, each with a reply. */
  readonly retire: () => Promise<WorkerEnd>;
  /** Stops as `Service.stop` does. */
  readonly stop: () => Promise<WorkerEnd>;
};

/** What a worker starts with. */
export interface WorkerStart {
  /** The settings of this worker, with its share of those limits that hold for all workers together. */
  readonly config: Config;
  /** The number of the worker, from 1; one that replaces another has its number. */
  readonly worker: number;
}

/** How a worker has stopped. */
export interface WorkerEnd {
  /** Whether all requests in flight were answered, and the database closed, within the configured time. */
  readonly inTime: boolean;
  /** Its last metrics. */
  readonly metrics: MetricValues;
}

/** A question, which its sender numbers. */
export interface Question {
  readonly number: number;
  readonly name: keyof WorkerQuestions;
  readonly argument: unknown;
}

/** The answer to a question, or why there is none. */
export type Answer = { readonly number: number } & (
  | { readonly value: unknown }
  | { readonly error: { readonly message: string; readonly exitCode?: 1 | 2 } }
);

/** A process that serves requests. */
export interface WorkerProcess {
  /** Its process id; 0 if it could not be started. */
  readonly pid: number;
  /**
   * Asks the worker, as `WorkerQuestions` says.
   *
   * @throws what the worker throws, as an `OperatorError` if it was one; or that the worker has ended
   */
  ask<Name extends keyof WorkerQuestions>(
    name: Name,
    ...argument: Parameters<WorkerQuestions[Name]>
  ): Promise<Awaited<ReturnType<WorkerQuestions[Name]>>>;
  isRunning(): boolean;
  /** Resolves once it has ended: with its exit status, or the signal that ended it. */
  readonly ended: Promise<WorkerExit>;
  /** Lets it end by itself, since it has stopped; a process that has not is stopped at once. */
  disconnect(): void;
  /** Ends it now. */
  kill(): void;
}

/** How a process has ended. */
export interface WorkerExit {
  readonly status: number | null;
  readonly signal: string | null;
  /** Why it could not be started. */
  readonly error?: Error;
}

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
export function forkWorker({ file, onOutput }: WorkerProgram): WorkerProcess {
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({
    exec: file ?? process.argv[1] ?? '',
    args: ['worker'],
    ...(file !== undefined && { execArgv: [] }),
    // JSON has neither `undefined` nor `Infinity`.
    serialization: 'advanced',
    silent: onOutput !== undefined,
  });
  const worker = cluster.fork();
  const { process: child } = worker;
  if (onOutput !== undefined) {
    child.stdout?.on('data', onOutput);
    child.stderr?.pipe(process.stderr);
  }
  const ended = awaitEnd(worker);
  return {
    pid: child.pid ?? 0,
    ask: createAsk(worker, ended),
    ended,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    disconnect: () => void (child.connected && child.disconnect()),
    kill: () => void child.kill('SIGKILL'),
  };
}

function createAsk(worker: Worker, ended: Promise<WorkerExit>): WorkerProcess['ask'] {
  const waiting = new Map<number, (answer: Answer) => void>();
  let lastNumber = 0;
  worker.on('message', (answer: Answer) => waiting.get(answer.number)?.(answer));
  return async function ask(name: keyof WorkerQuestions, argument?: unknown): Promise<never> {
    const number = ++lastNumber;
    const answered = new Promise<Answer>((resolve) => waiting.set(number, resolve));
    // An error means that the process has ended.
    worker.process.send({ number, name, argument } satisfies Question, () => undefined);
    const answer = await Promise.race([answered, ended]);
    waiting.delete(number);
    if (!('number' in answer)) throw new OperatorError(describeEnd(answer));
    if ('value' in answer) return answer.value as never;
    const { message, exitCode } = answer.error;
    throw exitCode === undefined ? new Error(message) : new OperatorError(message, { exitCode });
  };
}

/** What an answer has of an error. */
export function encodeError(error: unknown): { message: string; exitCode?: 1 | 2 } {
  return error instanceof OperatorError
    ? { message: error.message, exitCode: error.exitCode }
    : { message: messageOf(error) };
}

function awaitEnd({ process: child }: Worker): Promise<WorkerExit> {
  return new Promise((resolve) => {
    child.once('exit', (status, signal) => resolve({ status, signal }));
    // Any other error is that a message did not reach a process that is ending.
    child.on('error', (error) => child.pid === undefined && resolve({ status: null, signal: null, error }));
  });
}

function describeEnd({ status, signal, error }: WorkerExit): string {
  if (error !== undefined) return `A worker could not be started: ${error.message}.`;
  return `The worker ended with ${signal ?? `status ${status}`}.`;
}
