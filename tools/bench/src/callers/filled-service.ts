import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { DatabaseEngine } from '../databases/database.js';
import { sqlite } from '../databases/sqlite.js';
import { startPostgresql } from '../databases/start-postgresql.js';
import type { Environment } from '../environment/environment.js';
import { storePlants } from '../load/store-plants.js';
import { readResidentMemory } from '../processes/process-memory.js';
import { type RunningTarget, startTarget } from '../processes/start-target.js';
import { createToken, plantStore, plantStoreOf } from '../targets/plant-store.js';
import { withEnvironment } from '../targets/with-environment.js';

const memoryIntervalMs = 100;
const readinessIntervalMs = 1_000;
const readinessTimeoutMs = 10_000;
/** How many plants are stored after those of an attack, so that the newest are not those of the attack. */
const storedLast = 500;

/** Which service is measured. */
export interface ServiceSettings {
  readonly database: 'sqlite' | 'postgresql';
  /** How many plants are stored before. */
  readonly plants: number;
  readonly workers?: number | undefined;
  /** Another checkout whose build is measured. */
  readonly build?: string | undefined;
}

/** A service with plants. */
export interface FilledService extends RunningTarget {
  /** Issues a token with some scopes. */
  createToken(...scopes: readonly string[]): Promise<string>;
  /** Stops it, and removes its database. */
  remove(): Promise<void>;
}

/** Calls back with an engine: SQLite, or a PostgreSQL server that runs meanwhile. */
export async function withEngine<Result>(
  database: ServiceSettings['database'],
  { folder }: Environment,
  measure: (engine: DatabaseEngine) => Promise<Result>,
): Promise<Result> {
  if (database === 'sqlite') return await measure(sqlite);
  const server = await startPostgresql(folder);
  try {
    return await measure(server);
  } finally {
    await server.stop();
  }
}

/**
 * Starts the service over a new database and fills it through its API, so that any version can be measured.
 *
 * @param further plants as JSON that are stored besides, before the last of the others
 */
export async function startFilledService(
  { plants, workers, build }: ServiceSettings,
  engine: DatabaseEngine,
  { folder, log }: Environment,
  further: readonly string[] = [],
): Promise<FilledService> {
  const own = join(folder, 'service');
  mkdirSync(own);
  const database = await engine.createDatabase(own);
  const target = withEnvironment(build === undefined ? plantStore : plantStoreOf(build), {
    ADMIN_PORT: '0',
    DRAIN_DELAY_MS: '0',
    ...(workers !== undefined && { WORKERS: String(workers) }),
  });
  const running = await startTarget(target, database, own);
  await storePlants(running, Math.max(0, plants - storedLast));
  for (const plant of further) await store(running, plant);
  await storePlants(running, Math.min(plants, storedLast), Math.max(0, plants - storedLast));
  return {
    ...running,
    createToken: (...scopes) => createToken(database.url, scopes, build),
    async remove() {
      await running.stop().catch((error: Error) => log(error.message));
      await database.remove();
      rmSync(own, { recursive: true });
    },
  };
}

async function store({ baseUrl, token }: RunningTarget, plant: string): Promise<void> {
  const { status } = await fetch(`${baseUrl}/plants`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
    body: plant,
  });
  if (status !== 200) throw new Error(`A plant was answered ${status}`);
}

/** How a service fared during a measurement. */
export interface ServiceHealth {
  /** The most memory of all its processes together, in bytes. */
  readonly maxMemoryBytes: number;
  /** How often `/readyz` was requested, once a second, and how often it was not answered 200 within 10 seconds. */
  readonly readinessChecks: number;
  readonly notReady: number;
  readonly slowestReadyMs: number;
  /** Whether all processes that there were at the beginning were there at the end. */
  readonly survived: boolean;
}

/** Watches a service until a measurement is over. */
export async function watchService<Result>(
  service: RunningTarget,
  measurement: Promise<Result>,
): Promise<{ readonly result: Result; readonly health: ServiceHealth }> {
  const atStart = await service.readPids();
  let pids: readonly number[] = atStart;
  let maxMemoryBytes = 0;
  const readinessMs: number[] = [];
  let notReady = 0;
  let over = false;

  const watchMemory = async () => {
    while (!over) {
      // A process may have ended.
      const memory = await Promise.all(pids.map((pid) => readResidentMemory(pid).catch(() => 0)));
      const sum = memory.reduce((sum, bytes) => sum + (bytes || 0), 0);
      maxMemoryBytes = Math.max(maxMemoryBytes, sum);
      await delay(memoryIntervalMs);
    }
  };
  const watchReadiness = async () => {
    while (!over) {
      const startedAtMs = performance.now();
      const signal = AbortSignal.timeout(readinessTimeoutMs);
      const status = await fetch(`${service.adminUrl}/readyz`, { signal }).then(
        (reply) => reply.status,
        () => undefined,
      );
      const tookMs = performance.now() - startedAtMs;
      readinessMs.push(tookMs);
      if (status !== 200) notReady++;
      pids = await service.readPids();
      await delay(Math.max(0, readinessIntervalMs - tookMs));
    }
  };
  const watching = Promise.all([watchMemory(), watchReadiness()]);
  const result = await measurement.finally(() => {
    over = true;
  });
  await watching;
  const atEnd = await service.readPids();
  return {
    result,
    health: {
      maxMemoryBytes,
      readinessChecks: readinessMs.length,
      notReady,
      slowestReadyMs: Math.max(...readinessMs),
      survived: !service.hasEnded() && atStart.every((pid) => atEnd.includes(pid)),
    },
  };
}
