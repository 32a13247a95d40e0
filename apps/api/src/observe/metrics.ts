import { statfs } from 'node:fs/promises';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client';
import type { Pool } from 'pg';
import type { AccessTokenStore } from '../auth/token-service.js';
import { readPackage } from '../package-folder.js';
import { shareInFlight, withTimeout } from '../runtime/timing.js';
import type { OtlpSettings } from './otlp-settings.js';
import type { Readiness } from './readiness.js';

/** Creates the metrics registry, with the metrics of the process and of Node.js, and this program's version. */
export function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // Quantiles cannot be aggregated across workers. The event loop lag shows which process is at its limit.
  registry.removeSingleMetric('nodejs_eventloop_utilization_summary');
  registry.removeSingleMetric('nodejs_eventloop_utilization_histogram');
  // These sums are gauges with counter names. `nodejs_active_resources` and the others have the same values by type.
  for (const what of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`nodejs_active_${what}_total`);
  const { version, commit } = readPackage();
  new Gauge({
    name: 'plant_store_build_info',
    help: 'Always 1. The labels give the version and commit of the service, and the Node.js version',
    labelNames: ['version', 'commit', 'node_version'],
    aggregator: 'first',
    registers: [registry],
  }).set({ version, commit, node_version: process.versions.node }, 1);
  return registry;
}

export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** The settings that export metrics: an admin port, or OTLP. */
interface MetricsSettings {
  readonly admin: object | undefined;
  readonly otlp: OtlpSettings | undefined;
}

/** Creates the registry if anything exports its metrics. */
export function createExportedRegistry(settings: MetricsSettings): Registry | undefined {
  return exportsMetrics(settings) ? createRegistry() : undefined;
}

/** Whether a process exports metrics. A worker does not: the primary process exports the metrics of all workers. */
export function exportsMetrics({ admin, otlp }: MetricsSettings): boolean {
  return admin !== undefined || otlp?.metrics !== undefined;
}

interface ReadGauge {
  readonly name: string;
  readonly help: string;
  /** How to aggregate the values of several processes; by default their sum. */
  readonly aggregator?: 'sum' | 'min' | 'max';
  read(): number | Promise<number>;
}

/** Adds a gauge whose value is read at each scrape. */
export function addGauge(registry: Registry, { name, help, aggregator = 'sum', read }: ReadGauge): void {
  new Gauge({
    name,
    help,
    aggregator,
    registers: [registry],
    async collect() {
      this.set(await read());
    },
  });
}

/** How long a scrape waits for a value that is read from a disk or a database, in milliseconds. */
const readTimeoutMs = 1_000;

/**
 * Returns a function that reads a value at most once per interval, and never concurrently. It returns the previous value when reading fails
 * or takes longer than a second, so that a scrape completes even if a disk or a database hangs.
 */
export function readAtMostEvery<Value>(
  intervalMs: number,
  initial: Value,
  read: () => Promise<Value>,
): () => Promise<Value> {
  let latest = initial;
  let readAt = Number.NEGATIVE_INFINITY;

  const update = shareInFlight(async () => {
    try {
      latest = await read();
      readAt = performance.now();
    } catch {
      // Readiness reports the failure, and the log has the cause.
    }
  });

  return async () => {
    if (performance.now() - readAt >= intervalMs) await withTimeout(update(), readTimeoutMs, () => undefined);
    return latest;
  };
}

/** Adds a gauge of what `/readyz` reports: 1 or 0. */
export function addReadinessGauge(registry: Registry, readiness: () => Promise<Readiness>): void {
  addGauge(registry, {
    name: 'plant_store_ready',
    help: 'Whether the service accepts creates, as /readyz reports it: 1 or 0',
    read: async () => ((await readiness()).ready ? 1 : 0),
  });
}

/** How often the next token expiration is read from the database at most, in milliseconds. */
const tokensIntervalMs = 60_000;

/** Only tokens used within this time count, in milliseconds. */
const recentUseMs = 7 * 86_400_000;

/** Adds a gauge of the next time at which a name in use has no valid token left; see `findNextExpiry`. */
export function addTokenExpiryGauge(
  registry: Registry,
  { findNextExpiry }: Pick<AccessTokenStore, 'findNextExpiry'>,
): void {
  addGauge(registry, {
    name: 'plant_store_next_token_expiry_timestamp_seconds',
    help: 'Earliest expiration time, in seconds since 1970, among access tokens that were used in the last 7 days and not rotated; +Inf if none expires',
    aggregator: 'min',
    read: readAtMostEvery(tokensIntervalMs, Number.POSITIVE_INFINITY, async () => {
      const now = Date.now();
      const expiry = await findNextExpiry(new Date(now), new Date(now - recentUseMs));
      return expiry === null ? Number.POSITIVE_INFINITY : expiry.getTime() / 1_000;
    }),
  });
}

/** How often the disk space is read at most, in milliseconds, so that both gauges of a scrape share one read. */
const diskIntervalMs = 1_000;

/** Adds gauges of the size of the SQLite database's disk, and of the free space that the service can use. */
export function addDiskGauges(registry: Registry, path: string): void {
  const read = readAtMostEvery(diskIntervalMs, { free: Number.NaN, size: Number.NaN }, async () => {
    const { bavail, blocks, bsize } = await statfs(path);
    return { free: bavail * bsize, size: blocks * bsize };
  });
  addGauge(registry, {
    name: 'plant_store_sqlite_disk_free_bytes',
    help: 'Free space available to the service on the disk that holds the SQLite database',
    aggregator: 'min',
    read: async () => (await read()).free,
  });
  addGauge(registry, {
    name: 'plant_store_sqlite_disk_size_bytes',
    help: 'Size of the disk that holds the SQLite database',
    aggregator: 'max',
    read: async () => (await read()).size,
  });
}

interface GaugeSources {
  readonly connections: { readonly size: number };
  readonly queue: { queued(): { readonly records: number; readonly bytes: number } };
}

export function addServiceGauges(registry: Registry, { connections, queue }: GaugeSources): void {
  addGauge(registry, {
    name: 'plant_store_http_connections',
    help: 'Open client connections',
    read: () => connections.size,
  });
  addGauge(registry, {
    name: 'plant_store_queue_plants',
    help: 'Records waiting for the next commit',
    read: () => queue.queued().records,
  });
  addGauge(registry, {
    name: 'plant_store_queue_bytes',
    help: 'Total size of the records waiting for the next commit',
    read: () => queue.queued().bytes,
  });
}

export interface Checkpoint {
  /** The pages in the write-ahead log. */
  readonly logPages: number;
  /** Whether all these pages have been copied to the database. */
  readonly isMoved: boolean;
  readonly durationMs: number;
}

/** Returns a function to call with each checkpoint whose result differs from the previous one. */
export function measureCheckpoints(registry: Registry): (checkpoint: Checkpoint) => void {
  const pages = new Gauge({
    name: 'plant_store_sqlite_wal_pages',
    help: 'Pages in the SQLite write-ahead log at its latest checkpoint',
    registers: [registry],
  });
  const durations = new Histogram({
    name: 'plant_store_sqlite_checkpoint_duration_seconds',
    help: 'Duration of a checkpoint, which copies the SQLite write-ahead log into the database',
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [registry],
  });
  return ({ logPages, durationMs }) => {
    pages.set(logPages);
    durations.observe(durationMs / 1_000);
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
    help: 'Queries waiting for a connection to PostgreSQL',
    read: () => pool.waitingCount,
  });
}

interface CounterOptions {
  readonly name: string;
  readonly help: string;
  readonly labelName: string;
  /** Label values that start at zero. A series that appears later has no rate at first. */
  readonly initial: readonly string[];
}

/** Creates a counter, and returns a function that increments it by one or more for a label value. */
export function createCounter(
  registry: Registry,
  { name, help, labelName, initial }: CounterOptions,
): (value: string, amount?: number) => void {
  const counter = new Counter({ name, help, labelNames: [labelName], registers: [registry] });
  const count = (value: string, amount = 1) => counter.inc({ [labelName]: value }, amount);
  for (const value of initial) count(value, 0);
  return count;
}
