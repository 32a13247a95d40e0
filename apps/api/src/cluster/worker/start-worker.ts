import type { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Readiness } from '../../admin/readiness.js';
import { assembleService } from '../../assemble-service.js';
import { openDatabase } from '../../database/open-database.js';
import { readPage } from '../../http/page/read-page.js';
import type { RequestLog } from '../../logging/request-log.js';
import { createRegistry } from '../../metrics/create-registry.js';
import type { MetricValues, PrimaryCalls, WorkerEnd, WorkerStart } from '../calls.js';
import type { Channel } from '../channel/create-channel.js';
import { createRemoteDatabase } from './remote-database.js';
import { createRemoteLimits } from './remote-limits.js';

/** A worker that serves the connections that it is given. */
export interface ServingWorker {
  serve(connection: Socket): void;
  readiness(): Promise<Readiness>;
  metrics(): Promise<MetricValues>;
  /** Closes each connection with its next reply from now on. */
  drain(): void;
  /** Stops once all connections have ended, or after `retireMs`. */
  retire(): Promise<WorkerEnd>;
  stop(): Promise<WorkerEnd>;
}

/** Where a worker logs. */
export interface WorkerLogs {
  readonly log: Logger;
  readonly requestLog: RequestLog;
}

/**
 * How long a worker that is replaced keeps connections without a request, in milliseconds: longer than the server keeps any,
 * so that none is closed in the moment in which its client sends a request.
 */
const retireMs = 90_000;

/** How often such a worker looks whether all connections have ended, in milliseconds. */
const lookMs = 50;

/**
 * Starts the service of a worker.
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
    commitsElsewhere: config.database.engine === 'sqlite',
    shareLimits: (accessTokens) => createRemoteLimits(primary, accessTokens),
  });
  const readMetrics = async () => (metrics === undefined ? [] : metrics.getMetricsAsJSON());
  // The server does not listen itself, and starts to check its time limits as if it did.
  service.server.emit('listening');

  async function stop(): Promise<WorkerEnd> {
    const inTime = await service.stop();
    return { inTime, metrics: await readMetrics() };
  }

  return {
    serve(connection) {
      // As of those that an HTTP server accepts.
      connection.allowHalfOpen = true;
      service.server.emit('connection', connection);
    },
    readiness: service.readiness,
    metrics: readMetrics,
    drain: () => void service.drain(0),
    async retire() {
      await service.drain(0);
      const endsAt = performance.now() + retireMs;
      while (service.connections.size > 0 && performance.now() < endsAt) await delay(lookMs);
      return stop();
    },
    stop,
  };
}
