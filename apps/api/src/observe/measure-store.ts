import type { Pool } from 'pg';
import { Gauge, type Registry } from 'prom-client';
import { ServiceError } from '../errors/service-error.js';
import type { PlantInserter } from '../plants/plant-store.js';
import { createCounter } from './create-counter.js';
import { createHistogram } from './create-histogram.js';
import { addGauge } from './metrics.js';

/** Measures the commits of a store: how many plants each has, how long it takes, and why it fails. */
export function measureInserts(store: PlantInserter, registry: Registry): PlantInserter {
  const observeSize = createHistogram(registry, {
    name: 'plant_store_commit_plants',
    help: 'Plants of a commit',
    buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000],
  });
  const observeDuration = createHistogram(registry, {
    name: 'plant_store_commit_duration_seconds',
    help: 'Time of a commit that succeeded, from the statement to the disk',
    buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
  });
  const countFailure = createCounter(
    registry,
    {
      name: 'plant_store_commit_failures_total',
      help: 'Commits that failed, by the name of the error',
      labels: ['error'],
    },
    ['database_unavailable', 'database_damaged', 'internal_error'],
  );
  return {
    async insert(plants) {
      observeSize(plants.length);
      const startedAt = performance.now();
      try {
        const outcomes = await store.insert(plants);
        observeDuration((performance.now() - startedAt) / 1_000);
        return outcomes;
      } catch (error) {
        countFailure(error instanceof ServiceError ? error.errorName : 'internal_error');
        throw error;
      }
    },
  };
}

/** A checkpoint: the pages that the write-ahead log has after it, and how long it took, in milliseconds. */
export interface Checkpoint {
  readonly logPages: number;
  readonly durationMs: number;
}

/** Returns a function to call with each checkpoint that moved something into the database. */
export function measureCheckpoints(registry: Registry): (checkpoint: Checkpoint) => void {
  const pages = new Gauge({
    name: 'plant_store_sqlite_wal_pages',
    help: 'Pages in the write-ahead log of SQLite at its latest checkpoint',
    registers: [registry],
  });
  const observeDuration = createHistogram(registry, {
    name: 'plant_store_sqlite_checkpoint_duration_seconds',
    help: 'Time of a checkpoint, which moves the write-ahead log of SQLite into the database',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  return ({ logPages, durationMs }) => {
    pages.set(logPages);
    observeDuration(durationMs / 1_000);
  };
}

/** Measures how many connections of a pool are in use or idle, and how many queries wait for one. */
export function measurePool(pool: Pool, registry: Registry): void {
  new Gauge({
    name: 'plant_store_postgresql_connections',
    help: 'Connections to PostgreSQL, by state: in_use or idle',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.set({ state: 'in_use' }, pool.totalCount - pool.idleCount);
      this.set({ state: 'idle' }, pool.idleCount);
    },
  });
  addGauge(registry, {
    name: 'plant_store_postgresql_waiting_queries',
    help: 'Queries that wait for a connection to PostgreSQL',
    read: () => pool.waitingCount,
  });
}
