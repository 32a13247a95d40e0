import type { Worker } from 'node:cluster';
import type { Config } from '../config.js';
import { messageOf, OperatorError } from '../errors/operator-error.js';
import { allocateYoung } from '../http/fast-path.js';
import { openLog } from '../observe/logger.js';
import { createExportedRegistry } from '../observe/metrics.js';
import { block } from '../runtime/timing.js';
import { startService } from '../service.js';
import {
  type Answer,
  listening,
  type Question,
  retireMs,
  type WorkerEnd,
  type WorkerQuestions,
} from './worker-process.js';

/** The questions that a worker answers once it has started. */
type ServingWorker = Omit<WorkerQuestions, 'start'> & { readonly baseUrl: string };

/**
 * Runs a worker until its primary process stops it or ends. If the primary process ends, `node:cluster` ends this process. Only the primary
 * process handles signals to all processes of the service, such as signals from a terminal or a service manager.
 */
export function runWorker(connection: Worker, { isTerminal }: { readonly isTerminal: boolean }): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
  let worker: Promise<ServingWorker> | undefined;

  async function answer({ name, args }: Question): Promise<unknown> {
    if (name === 'start') {
      const [config, number] = args as Parameters<WorkerQuestions['start']>;
      // Assigned before the worker has started, so that a stop waits for the start.
      worker = startWorker(config, number, isTerminal);
      return (await worker).baseUrl;
    }
    if (worker === undefined) throw new Error('The worker has not started');
    return (await worker)[name]();
  }

  connection.on('message', (question: Question) => {
    const { number } = question;
    // Sending only fails if the primary process has ended.
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

async function startWorker(config: Config, worker: number, isTerminal: boolean): Promise<ServingWorker> {
  if (config.fastPath) allocateYoung();
  const { log, close: closeLog } = await openLog(config.logLevel, { isTerminal, isShared: true });
  const registry = createExportedRegistry(config);
  const { otlp } = config;
  // The primary process serves the admin port, and exports the metrics of all workers.
  const own = { ...config, admin: undefined, otlp: otlp?.traces && { ...otlp, metrics: undefined } };
  const service = await startService(own, log.child({ worker }), {
    metrics: registry,
    onConnection: createAcceptTurns(),
  });
  const metrics = async () => registry?.getMetricsAsJSON() ?? [];

  let stopped: Promise<WorkerEnd> | undefined;
  /** Stops the worker only once, even if it is stopped while it retires. */
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

/** A connection belongs to a burst if it arrives this soon after the previous one, in milliseconds. */
const burstMs = 2;
/** How long a worker then waits, in milliseconds. */
const turnMs = 1;
/** The maximum waiting time in one burst, in milliseconds, and in the long run, as a share of all time. */
const maxWaitMs = 200;
const waitShare = 0.05;

/**
 * Spreads a burst of connections over the workers. All workers accept from one socket, one connection per turn of the event loop, so a
 * worker that runs while others do not would accept many in a row. After a connection that closely follows another, the worker blocks its
 * event loop for a moment, so that the other workers can accept. The total waiting time is limited.
 *
 * @returns a function to call after each accepted connection
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
