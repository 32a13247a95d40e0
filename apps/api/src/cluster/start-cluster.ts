import type { Logger } from 'pino';
import type { Config } from '../config.js';
import { createRequestCounts } from '../http/middleware/rate-limit.js';
import { createRegistry } from '../observe/metrics.js';
import type { Readiness } from '../observe/readiness.js';
import { clusterStopTimeouts, startStopTime } from '../runtime/stop-timeouts.js';
import { withTimeout } from '../runtime/timing.js';
import { createBackend, openBackend, runService, type ServedTokens, type Service } from '../service.js';
import type { Batcher } from '../store/batcher.js';
import type { Database } from '../store/database.js';
import type { DatabaseLocation } from '../store/database-location.js';
import { type PrimaryCalls, tokenTtlMs } from './calls.js';
import { createClusterMetrics } from './cluster-metrics.js';
import { openListeningSocket } from './listening-socket.js';
import { primaryConnections, WorkerGroup } from './worker-group.js';
import { forkWorker, type WorkerProgram } from './worker-process.js';

/** A service of several processes that is listening. */
export interface Cluster extends Service {
  /** Replaces the workers one after the other, without a failed request, by ones with settings that are read again. */
  replaceWorkers(readConfig: () => Config): Promise<void>;
}

/**
 * Starts a service whose requests are served by `config.workers` processes. On SQLite this process alone has the database,
 * and stores the plants of all workers; on PostgreSQL each worker has connections of its own. The admin port is that of this
 * process.
 *
 * @throws {OperatorError} as `startService` does
 */
export async function startCluster(
  config: Config,
  log: Logger,
  program: WorkerProgram = {},
): Promise<Cluster> {
  const metrics = config.admin && createRegistry();
  const location = locatePrimary(config.database);
  const opened = await openBackend({ ...config, database: location }, { metrics, log }, tokenTtlMs);
  const backend = createBackend(config, { ...opened, log });
  const calls = createPrimaryCalls({ ...opened, ...opened.tokens, plants: backend.plants });
  const socket = await openListeningSocket(config.host, config.port).catch(async (error: unknown) => {
    await backend.close(startStopTime(0));
    throw error;
  });
  const group: WorkerGroup = new WorkerGroup(config, {
    fork: () => forkWorker(calls, socket.descriptor, program),
    log,
    onEnd: (worker, end) => clusterMetrics?.workerEnded(worker, end?.metrics),
  });
  const clusterMetrics = metrics && createClusterMetrics(metrics, group);
  const service = await runService(config, {
    ...{ ...opened, backend, log },
    metrics: clusterMetrics,
    readiness: combineReadiness({
      own: backend.readiness,
      group,
      workers: config.workers,
      askWorkers: location.engine !== 'sqlite',
    }),
    leastDatabaseMs: clusterStopTimeouts.databaseMs,
    front: {
      async listen() {
        await group.start();
        return socket.baseUrl;
      },
      drain: () => void group.drain(),
      async stop() {
        opened.tokens.authenticationLimit.clear();
        const [inTime] = await Promise.all([group.stop(), socket.close()]);
        return inTime;
      },
    },
  });
  return {
    ...service,
    replaceWorkers: (readConfig) => group.replaceAll(() => ({ ...readConfig(), ...keptOf(config) })),
  };
}

/** What stays while the service runs. */
function keptOf({ admin, workers }: Config): Pick<Config, 'admin' | 'workers'> {
  return { admin, workers };
}

/** The database as this process opens it. */
function locatePrimary(database: DatabaseLocation): DatabaseLocation {
  return database.engine === 'sqlite' ? database : { ...database, poolSize: primaryConnections };
}

/** What the calls of workers use. */
interface PrimaryParts extends Pick<ServedTokens, 'accessTokens' | 'authenticationLimit'> {
  readonly database: Database;
  readonly plants: Batcher;
}

/** Creates what workers may call. The limits of requests are counted here, for all workers together. */
function createPrimaryCalls(parts: PrimaryParts): PrimaryCalls {
  const { database, plants, accessTokens, authenticationLimit } = parts;
  const requestCounts = createRequestCounts();
  const verifyToken: PrimaryCalls['verifyToken'] = ({ address, text }) =>
    authenticationLimit.verify(address, text, accessTokens.verifyCached(text));
  return {
    async insert(batch) {
      const outcomes = await plants.writeAll(batch, 'worker');
      if (outcomes.every((outcome) => outcome.stored)) return undefined;
      return outcomes.map((outcome) => (outcome.stored ? null : outcome.existing));
    },
    find: (ids) => database.plants.find(ids),
    list: ({ query, limits }) => database.plants.list(query, limits),
    checkDatabase: () => database.check(),
    probeCommit: () => database.probeCommit(),
    verifyKnownToken: verifyToken,
    verifyToken,
    countRequests: async ({ caller, count }) => requestCounts.increment(caller, count),
  };
}

/** How long a worker may take to answer, in milliseconds; longer than its database may. */
const timeoutMs = 2_500;

/** What the readiness of a service with workers depends on. */
interface CombinedReadiness {
  /** Whether the primary process, and its database, work. */
  readonly own: () => Promise<Readiness>;
  readonly group: Pick<WorkerGroup, 'responding'>;
  /** How many workers there are when all run. */
  readonly workers: number;
  /** Whether workers have a database connection of their own, which may fail by itself. */
  readonly askWorkers: boolean;
}

/** A service is ready if its primary process is, and at least half of its workers. */
export function combineReadiness(parts: CombinedReadiness): () => Promise<Readiness> {
  const { own, group, workers, askWorkers } = parts;
  return async function readiness() {
    const result = await own();
    if (!result.ready) return result;
    const responding = [...group.responding().values()];
    const answers = askWorkers
      ? await Promise.all(responding.map(({ calls }) => ask(calls.call('readiness', null))))
      : responding.map(() => result);
    const ready = answers.filter((answer) => answer.ready);
    const missing = workers - ready.length;
    if (ready.length < workers / 2) {
      return answers.find((answer) => !answer.ready) ?? { ready: false, reason: 'internal_error' };
    }
    const warnings = new Set([...result.warnings, ...ready.flatMap((answer) => answer.warnings)]);
    const doNot = missing === 1 ? 'does not' : 'do not';
    if (missing > 0) warnings.add(`${missing} of ${workers} workers ${doNot} run, respond or store plants.`);
    return { ready: true, warnings: [...warnings] };
  };
}

/** A worker that ends or hangs is not ready. */
async function ask(answer: Promise<Readiness>): Promise<Readiness> {
  const unavailable = { ready: false, reason: 'database_unavailable' } as const;
  return withTimeout(answer, timeoutMs, () => unavailable).catch(() => unavailable);
}
