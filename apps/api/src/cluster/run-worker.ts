import type { Worker } from 'node:cluster';
import type { Config } from '../config.js';
import { messageOf, OperatorError } from '../errors/operator-error.js';
import { allocateYoung } from '../http/fast-path.js';
import { openLog } from '../observe/logger.js';
import { createShownRegistry } from '../observe/metrics.js';
import { startService } from '../service.js';
import {
  type Answer,
  listening,
  type Question,
  retireMs,
  type WorkerEnd,
  type WorkerQuestions,
} from './worker-process.js';

/** What a worker answers once it has started. */
type ServingWorker = Omit<WorkerQuestions, 'start'> & { readonly baseUrl: string };

/**
 * Runs a worker until its primary process stops it, or has ended, after which `node:cluster` ends this process. Signals to all
 * processes of the service, such as those of a terminal or of a service manager, are for the primary process.
 *
 * @param connection leads to the primary process
 */
export function runWorker(connection: Worker, { isTerminal }: { readonly isTerminal: boolean }): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
  let worker: Promise<ServingWorker> | undefined;

  async function answer({ name, args }: Question): Promise<unknown> {
    if (name === 'start') {
      const [config, number] = args as Parameters<WorkerQuestions['start']>;
      // Known from now on, so that a stop waits for it.
      worker = startWorker(config, number, isTerminal);
      return (await worker).baseUrl;
    }
    if (worker === undefined) throw new Error('The worker has not started');
    return (await worker)[name]();
  }

  connection.on('message', (question: Question) => {
    const { number } = question;
    // An error of a message is that the primary process has ended.
    const send = (message: Answer) => void connection.send(message, () => undefined);
    answer(question).then(
      (value) => send({ number, value }),
      (error: unknown) =>
        send({
          number,
          error: messageOf(error),
          ...(error instanceof OperatorError && { exitCode: error.exitCode }),
        }),
    );
  });
  connection.send(listening, () => undefined);
}

/** Starts the service of a worker, whose admin port is that of the primary process. */
async function startWorker(config: Config, worker: number, isTerminal: boolean): Promise<ServingWorker> {
  if (config.fastPath) allocateYoung();
  const { log, requestLog, close: closeLog } = await openLog(config, { isTerminal, isShared: true });
  const registry = createShownRegistry(config);
  const { otlp } = config;
  // The primary process has the admin port, and exports the metrics of all.
  const own = { ...config, admin: undefined, otlp: otlp?.traces && { ...otlp, metrics: undefined } };
  const service = await startService(own, log.child({ worker }), {
    requestLog,
    metrics: registry,
    onConnection: createAcceptTurns(),
  });
  const metrics = async () => registry?.getMetricsAsJSON() ?? [];

  let stopped: Promise<WorkerEnd> | undefined;
  /** Once: it may be stopped while it retires. */
  function stop(): Promise<WorkerEnd> {
    stopped ??= service.stop().then(async (inTime) => {
      const end = { inTime, metrics: await metrics() };
      await closeLog();
      return end;
    });
    return stopped;
  }

  return {
    baseUrl: service.baseUrl,
    ping: async () => undefined,
    readiness: service.readiness,
    metrics,
    drain: () => service.drain(0),
    retire: () => service.retire(retireMs).then(stop),
    stop,
  };
}

/** How soon after another one a connection is part of a burst, and how long a worker waits then, in milliseconds. */
const burstMs = 2;
const turnMs = 1;
/** The time that may be spent waiting at once, in milliseconds, and the share of all time that may be spent in the long run. */
const maxWaitMs = 200;
const waitShare = 0.05;

/**
 * Lets other workers accept connections of a burst. All accept from one socket, each one connection a turn of its event loop, so
 * a process that runs while others do not takes many in a row. After one that follows another it blocks its event loop for a
 * moment, in which they get their turn; how long together is limited, however many are opened.
 *
 * @param now returns a time in milliseconds
 * @param wait blocks this thread for so many milliseconds
 * @returns a function to call after each connection that was accepted
 */
export function createAcceptTurns(
  now: () => number = () => performance.now(),
  wait: (milliseconds: number) => void = block,
): () => void {
  let waitMs = maxWaitMs;
  let lastAt = Number.NEGATIVE_INFINITY;
  return function onAccepted() {
    const acceptedAt = now();
    const sinceLastMs = acceptedAt - lastAt;
    waitMs = Math.min(maxWaitMs, waitMs + sinceLastMs * waitShare);
    lastAt = acceptedAt;
    if (sinceLastMs >= burstMs || waitMs < turnMs) return;
    wait(turnMs);
    lastAt = now();
    waitMs -= lastAt - acceptedAt;
  };
}

const cell = new Int32Array(new SharedArrayBuffer(4));

function block(milliseconds: number): void {
  Atomics.wait(cell, 0, 0, milliseconds);
}
