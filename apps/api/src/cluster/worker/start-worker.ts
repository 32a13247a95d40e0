import { once } from 'node:events';
import { Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Readiness } from '../../admin/readiness.js';
import { assembleService } from '../../assemble-service.js';
import { openDatabase } from '../../database/open-database.js';
import { readPage } from '../../http/page/read-page.js';
import { backlog } from '../../http/server/listen.js';
import type { RequestLog } from '../../logging/request-log.js';
import { createRegistry } from '../../metrics/create-registry.js';
import {
  listeningDescriptor,
  type MetricValues,
  type PrimaryCalls,
  retireMs,
  type WorkerEnd,
  type WorkerStart,
} from '../calls.js';
import type { Channel } from '../channel.js';
import { createAcceptTurns } from './accept-turns.js';
import { createRemoteDatabase } from './remote-database.js';
import { createRemoteTokens } from './remote-tokens.js';

/** A worker that serves the connections that it accepts. */
export interface ServingWorker {
  /** Returns how many connections it has, and takes how many each worker has on average. */
  ping(share: number): number;
  readiness(): Promise<Readiness>;
  metrics(): Promise<MetricValues>;
  /** Closes each connection with its next reply from now on. */
  drain(): void;
  /** Accepts no more connections, and stops once all have ended, or after `retireMs`. */
  retire(): Promise<WorkerEnd>;
  stop(): Promise<WorkerEnd>;
}

/** Where a worker logs. */
export interface WorkerLogs {
  readonly log: Logger;
  readonly requestLog: RequestLog;
}

/** How often such a worker looks whether all connections have ended, in milliseconds. */
const lookMs = 50;

/**
 * Starts the service of a worker, on the socket that its process has inherited.
 *
 * @throws {OperatorError} as `startService` does
 */
export async function startWorker(
  { config }: WorkerStart,
  primary: Channel<PrimaryCalls>,
  { log, requestLog }: WorkerLogs,
): Promise<ServingWorker> {
  const page = config.pageFolder === undefined ? undefined : readPage(config.pageFolder);
  const metrics = config.admin && createRegistry();
  const database =
    config.database.engine === 'sqlite'
      ? createRemoteDatabase(primary)
      : await openDatabase(config.database, { log, metrics });
  const service = await assembleService(config, {
    ...{ database, page, metrics, log, requestLog },
    tokens: createRemoteTokens(primary, metrics),
    commitsElsewhere: config.database.engine === 'sqlite',
    requestCounts: {
      increment: (caller) => primary.call('countRequest', caller),
      // Each request counts, whatever its reply.
      decrement: () => undefined,
      resetKey: () => undefined,
    },
  });
  const { server, connections } = service;
  const readMetrics = async () => (metrics === undefined ? [] : metrics.getMetricsAsJSON());
  const turns = createAcceptTurns();
  server.on('connection', () => turns.onAccepted(connections.size));
  server.listen({ fd: listeningDescriptor, backlog });
  await once(server, 'listening');

  let stopped: Promise<WorkerEnd> | undefined;
  /** Once: it may be stopped while it retires. */
  function stop(): Promise<WorkerEnd> {
    stopped ??= service.stop().then(async (inTime) => ({ inTime, metrics: await readMetrics() }));
    return stopped;
  }

  return {
    ping(share) {
      turns.setShare(share);
      return connections.size;
    },
    readiness: service.readiness,
    metrics: readMetrics,
    drain: () => void service.drain(0),
    async retire() {
      // Only the socket: an HTTP server would close its idle connections, too.
      Server.prototype.close.call(server);
      await service.drain(0);
      const endsAt = performance.now() + retireMs;
      while (connections.size > 0 && performance.now() < endsAt) await delay(lookMs);
      return stop();
    },
    stop,
  };
}
