import type { Config } from '../config.js';
import { createLogger } from '../observe/logger.js';
import { createRegistry } from '../observe/metrics.js';
import { allocateYoung } from '../runtime/v8-flags.js';
import { startService } from '../service.js';
import { createAcceptTurns } from './accept-turns.js';
import {
  type Answer,
  encodeError,
  type Question,
  type WorkerEnd,
  type WorkerQuestions,
  type WorkerStart,
} from './worker-process.js';

/** The process of a worker: its connection to the primary process, and how it ends. */
export interface OwnProcess {
  readonly connected?: boolean | undefined;
  send?(answer: Answer, onSent: () => void): boolean;
  on(event: 'SIGTERM' | 'SIGINT' | 'SIGHUP', listener: () => void): unknown;
  on(event: 'message', listener: (message: unknown) => void): unknown;
}

/** What a worker answers once it has started. */
type ServingWorker = Omit<WorkerQuestions, 'start'> & { readonly baseUrl: string };

/**
 * How long a worker that is replaced keeps connections without a request, in milliseconds: longer than the server keeps any,
 * so that none is closed in the moment in which its client sends a request.
 */
export const retireMs = 90_000;

/**
 * Runs a worker until its primary process stops it, or has ended, after which `node:cluster` ends this process. Signals to all
 * processes of the service, such as those of a terminal or of a service manager, are for the primary process.
 */
export function runWorker(process: OwnProcess, { isTerminal }: { readonly isTerminal: boolean }): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
  let worker: Promise<ServingWorker> | undefined;

  async function answer({ name, argument }: Question): Promise<unknown> {
    if (name === 'start') {
      // Known from now on, so that a stop waits for it.
      worker = startWorker(argument as WorkerStart, isTerminal);
      return (await worker).baseUrl;
    }
    if (worker === undefined) throw new Error('The worker has not started');
    return (await worker)[name]();
  }

  process.on('message', (message) => {
    const question = message as Question;
    const { number } = question;
    // An error of a message is that the primary process has ended.
    const send = (value: Answer) => void process.send?.(value, () => undefined);
    answer(question).then(
      (value) => send({ number, value }),
      (error: unknown) => send({ number, error: encodeError(error) }),
    );
  });
}

/** Starts the service of a worker, whose admin port is that of the primary process. */
async function startWorker({ config, worker }: WorkerStart, isTerminal: boolean): Promise<ServingWorker> {
  const { log, requestLog, close: closeLog } = await openLog(config, isTerminal);
  const metrics = config.admin && createRegistry();
  const service = await startService({ ...config, admin: undefined }, log.child({ worker }), {
    requestLog: config.fastPath ? requestLog : log,
    metrics,
    onConnection: createAcceptTurns(),
  });
  const readMetrics = async () => (metrics === undefined ? [] : metrics.getMetricsAsJSON());

  let stopped: Promise<WorkerEnd> | undefined;
  /** Once: it may be stopped while it retires. */
  function stop(): Promise<WorkerEnd> {
    stopped ??= service.stop().then(async (inTime) => {
      const end = { inTime, metrics: await readMetrics() };
      await closeLog();
      return end;
    });
    return stopped;
  }

  return {
    baseUrl: service.baseUrl,
    ping: async () => undefined,
    readiness: service.readiness,
    metrics: readMetrics,
    drain: () => service.drain(0),
    retire: () => service.retire(retireMs).then(stop),
    stop,
  };
}

async function openLog(config: Config, isTerminal: boolean) {
  if (config.fastPath) allocateYoung();
  const format = isTerminal
    ? (await import('../observe/format-for-terminal.js')).formatForTerminal
    : undefined;
  return createLogger(config.logLevel, { format, isShared: true });
}
