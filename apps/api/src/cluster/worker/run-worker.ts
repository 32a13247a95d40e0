import type { CliContext } from '../../cli/support/cli-context.js';
import { createLogger } from '../../logging/create-logger.js';
import { allocateYoung, limitHeapGrowth } from '../../runtime/v8-flags.js';
import type { PrimaryCalls, WorkerCalls, WorkerEnd, WorkerStart } from '../calls.js';
import { type Channel, createChannel, type MessageEnd } from '../channel.js';
import { type ServingWorker, startWorker } from './start-worker.js';

/** The process of a worker: its connection to the primary process, and how it ends. */
export interface WorkerProcess extends MessageEnd {
  once(event: 'disconnect', listener: () => void): unknown;
  on(event: 'SIGTERM' | 'SIGINT' | 'SIGHUP', listener: () => void): unknown;
  on(event: 'message', listener: (message: unknown) => void): unknown;
  exit(status?: number): never;
}

/**
 * Runs a worker until its primary process stops it, or has ended: nobody would own it, and on SQLite it could store nothing.
 * Signals to all processes of the service, such as those of a terminal or of a service manager, are for the primary process.
 */
export function runWorker(process: WorkerProcess, { isTerminal }: Pick<CliContext, 'isTerminal'>): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
  process.once('disconnect', () => process.exit());

  let worker: Promise<ServingWorker> | undefined;
  let closeLog = async () => {};
  async function end(how: (worker: ServingWorker) => Promise<WorkerEnd>): Promise<WorkerEnd> {
    if (worker === undefined) throw new Error('The worker has not started');
    const result = await how(await worker);
    await closeLog();
    return result;
  }

  const calls: WorkerCalls = {
    async start(start) {
      // Known from now on, so that a stop waits for it.
      worker = openLog(start, isTerminal).then((logger) => {
        closeLog = logger.close;
        return startWorker(start, primary, logger);
      });
      await worker;
    },
    ping: async (share) => (await started()).ping(share),
    readiness: async () => (await started()).readiness(),
    metrics: async () => (await started()).metrics(),
    drain: async () => (await started()).drain(),
    retire: () => end((serving) => serving.retire()),
    stop: () => end((serving) => serving.stop()),
  };
  const started = () => worker ?? Promise.reject(new Error('The worker has not started'));
  // Anybody can cause calls that verify tokens.
  const primary: Channel<PrimaryCalls> = createChannel<PrimaryCalls>(process, calls, 'verifyToken');
}

async function openLog({ config, worker }: WorkerStart, isTerminal: boolean) {
  if (config.fastPath) {
    limitHeapGrowth();
    allocateYoung();
  }
  const format = isTerminal
    ? (await import('../../logging/format-for-terminal.js')).formatForTerminal
    : undefined;
  const { log, requestLog, close } = createLogger(config.logLevel, { format, isShared: true });
  return { log: log.child({ worker }), requestLog: config.fastPath ? requestLog : log, close };
}
