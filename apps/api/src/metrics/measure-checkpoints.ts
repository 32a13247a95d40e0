import { Gauge, type Registry } from 'prom-client';
import { createHistogram } from './create-histogram.js';

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
