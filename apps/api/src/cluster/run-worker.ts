import type { Worker } from 'node:cluster';
import type { Config } from '../config.js';
import { messageOf, OperatorError } from '../errors/operator-error.js';
import { allocateYoung } from '../http/fast-path.js';
import { createLogger } from '../observe/logger.js';
import { createRegistry } from '../observe/metrics.js';
import { startService } from '../service.js';
import { createAcceptTurns } from './accept-turns.js';
import {
  type Answer,
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
          ...{ number, error: messageOf(error) },
          ...(error instanceof OperatorError && { exitCode: error.exitCode }),
        }),
    );
  });
}

/** Starts the service of a worker, whose admin port is that of the primary process. */
async function startWorker(config: Config, worker: number, isTerminal: boolean): Promise<ServingWorker> {
  if (config.fastPath) allocateYoung();
  const {
    log,
    requestLog,
    close: closeLog,
  } = createLogger(config.logLevel, {
    format: isTerminal ? (await import('../observe/format-for-terminal.js')).formatForTerminal : undefined,
    isShared: true,
  });
  const registry = config.admin && createRegistry();
  const service = await startService({ ...config, admin: undefined }, log.child({ worker }), {
    requestLog: config.fastPath ? requestLog : log,
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
