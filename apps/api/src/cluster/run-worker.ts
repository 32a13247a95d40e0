import { once } from 'node:events';
import { Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { backlog } from '../http/listen.js';
import { createLogger } from '../observe/logger.js';
import { createRegistry } from '../observe/metrics.js';
import { allocateYoung } from '../runtime/v8-flags.js';
import { createApi, createBackend, readConfiguredFiles, stopServing } from '../service.js';
import { openDatabase } from '../store/open-database.js';
import { createAcceptTurns } from './accept-turns.js';
import type { WorkerCalls, WorkerEnd, WorkerStart } from './calls.js';
import { listeningDescriptor, type PrimaryCalls, retireMs } from './calls.js';
import { type Channel, createChannel, type MessageEnd } from './channel.js';
import { createRemoteDatabase, createRemoteTokens } from './remote-backend.js';

/** What a worker does once it has started. */
type ServingWorker = Omit<WorkerCalls, 'start'>;

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
export function runWorker(process: WorkerProcess, { isTerminal }: { readonly isTerminal: boolean }): void {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
  process.once('disconnect', () => process.exit());

  let worker: Promise<ServingWorker> | undefined;
  const started = () => worker ?? Promise.reject(new Error('The worker has not started'));
  const calls: WorkerCalls = {
    async start(start) {
      // Known from now on, so that a stop waits for it.
      worker = startWorker(start, primary, isTerminal);
      await worker;
    },
    ping: async (share) => (await started()).ping(share),
    readiness: async () => (await started()).readiness(null),
    metrics: async () => (await started()).metrics(null),
    drain: async () => (await started()).drain(null),
    retire: async () => (await started()).retire(null),
    stop: async () => (await started()).stop(null),
  };
  // Anybody can cause calls that verify tokens.
  const primary: Channel<PrimaryCalls> = createChannel<PrimaryCalls>(process, calls, 'verifyToken');
}

/** How often a worker that is replaced looks whether all connections have ended, in milliseconds. */
const lookMs = 50;

/**
 * Starts the service of a worker, on the socket that its process has inherited.
 *
 * @throws {OperatorError} as `startService` does
 */
async function startWorker(
  start: WorkerStart,
  primary: Channel<PrimaryCalls>,
  isTerminal: boolean,
): Promise<ServingWorker> {
  const { config } = start;
  const { log, requestLog, close: closeLog } = await openLog(start, isTerminal);
  const files = readConfiguredFiles(config);
  const metrics = config.admin && createRegistry();
  const database =
    config.database.engine === 'sqlite'
      ? createRemoteDatabase(primary)
      : await openDatabase(config.database, { log, metrics });
  const backend = createBackend(config, {
    database,
    tokens: createRemoteTokens(primary, metrics),
    log,
  });
  const api = await createApi(config, {
    ...{ backend, files, metrics, log, requestLog },
    requestCounts: {
      increment: (caller, count = 1) => primary.call('countRequests', { caller, count }),
      // Each request counts, whatever its reply.
      decrement: () => undefined,
      resetKey: () => undefined,
    },
  });
  const { server, connections } = api;
  const readMetrics = async () => (metrics === undefined ? [] : metrics.getMetricsAsJSON());
  const turns = createAcceptTurns();
  server.on('connection', () => turns.onAccepted(connections.size));
  server.listen({ fd: listeningDescriptor, backlog });
  await once(server, 'listening');

  let stopped: Promise<WorkerEnd> | undefined;
  /** Once: it may be stopped while it retires. */
  function stop(): Promise<WorkerEnd> {
    stopped ??= stopServing(config, { backend, front: api }).then(async (inTime) => {
      const end = { inTime, metrics: await readMetrics() };
      await closeLog();
      return end;
    });
    return stopped;
  }

  return {
    async ping(share) {
      turns.setShare(share);
      return connections.size;
    },
    readiness: backend.readiness,
    metrics: readMetrics,
    drain: () => backend.draining.abort(),
    async retire() {
      // Only the socket: an HTTP server would close its idle connections, too.
      Server.prototype.close.call(server);
      backend.draining.abort();
      const endsAt = performance.now() + retireMs;
      while (connections.size > 0 && performance.now() < endsAt) await delay(lookMs);
      return stop();
    },
    stop,
  };
}

async function openLog({ config, worker }: WorkerStart, isTerminal: boolean) {
  if (config.fastPath) allocateYoung();
  const format = isTerminal
    ? (await import('../observe/format-for-terminal.js')).formatForTerminal
    : undefined;
  const { log, requestLog, close } = createLogger(config.logLevel, { format, isShared: true });
  return { log: log.child({ worker }), requestLog: config.fastPath ? requestLog : log, close };
}
