import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client';
import type { Pool } from 'pg';
import { readPackage } from '../package-folder.js';
import type { OtlpSettings } from './otlp-settings.js';

/** Creates the registry of all metrics, with those of the process and of Node.js, and the version of this program. */
export function createRegistry(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  // Nothing sums the quantiles of several workers. The lag of the event loop shows which process is at its limit.
  registry.removeSingleMetric('nodejs_eventloop_utilization_summary');
  registry.removeSingleMetric('nodejs_eventloop_utilization_histogram');
  // Sums whose names are those of counters, though they are gauges: `nodejs_active_resources` and the others have the parts.
  for (const what of ['handles', 'requests', 'resources'])
    registry.removeSingleMetric(`nodejs_active_${what}_total`);
  const { version, commit } = readPackage();
  new Gauge({
    name: 'plant_store_build_info',
    help: 'Always 1; the version and the commit of the service, and the version of Node.js',
    labelNames: ['version', 'commit', 'node_version'],
    aggregator: 'first',
    registers: [registry],
  }).set({ version, commit, node_version: process.versions.node }, 1);
  return registry;
}

/** The metrics of a registry, as values. */
export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>;

/** Creates it if anything shows its metrics: an admin port, or an export. */
export function createShownRegistry({
  admin,
  otlp,
}: {
  readonly admin: object | undefined;
  readonly otlp: OtlpSettings | undefined;
}): Registry | undefined {
  return admin || otlp?.metrics ? createRegistry() : undefined;
}

/** A gauge whose value is read at each scrape. */
interface ReadGauge {
  readonly name: string;
  readonly help: string;
  /** What the values of several processes become: their sum by default. */
  readonly aggregator?: 'sum' | 'max';
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

/** What the gauges are read from. */
interface GaugeSources {
  readonly connections: { readonly size: number };
  readonly queue: { queued(): { readonly records: number; readonly bytes: number } };
  /** The fraction of all ids whose plants cannot be stored, from 0 to 1. */
  failingShare(): number;
}

/** Adds what is read from the running service at each scrape: its connections, its queue and what cannot be stored. */
export function addServiceGauges(
  registry: Registry,
  { connections, queue, failingShare }: GaugeSources,
): void {
  addGauge(registry, {
    name: 'plant_store_http_connections',
    help: 'Open connections of clients',
    read: () => connections.size,
  });
  addGauge(registry, {
    name: 'plant_store_queue_plants',
    help: 'Plants that wait for the next commit',
    read: () => queue.queued().records,
  });
  addGauge(registry, {
    name: 'plant_store_queue_bytes',
    help: 'Size of the names and tags of the plants that wait for the next commit',
    read: () => queue.queued().bytes,
  });
  addGauge(registry, {
    name: 'plant_store_failing_ids_ratio',
    help: 'Fraction of all ids, from 0 to 1, whose plants cannot be stored',
    aggregator: 'max',
    read: failingShare,
  });
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
  const durations = new Histogram({
    name: 'plant_store_sqlite_checkpoint_duration_seconds',
    help: 'Time of a checkpoint, which moves the write-ahead log of SQLite into the database',
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
    help: 'Queries that wait for a connection to PostgreSQL',
    read: () => pool.waitingCount,
  });
}

/*
 * What each request counts is counted in plain numbers, which the library gets at each scrape only, since its own `inc` and
 * `observe` validate the labels and compose a key of them at each call; see decision 22.
 */

type LabelValue = string | number;

/** The counts below some values of the first labels; without further labels, one count. */
interface Branch {
  readonly children: Map<LabelValue, Branch>;
  count: number;
}

interface CounterOptions {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  /** Values of a single label that are at zero from the start: what appears later has no rate at first. */
  readonly initial?: readonly string[];
}

/** Creates a counter, and returns a function that counts one more for these values of its labels. */
export function createCounter(
  registry: Registry,
  { name, help, labelNames, initial = [] }: CounterOptions,
): (...values: readonly LabelValue[]) => void {
  const root: Branch = { children: new Map(), count: 0 };
  for (const value of initial) addBranch(root, value);
  new Counter({
    name,
    help,
    labelNames,
    registers: [registry],
    collect() {
      this.reset();
      for (const [values, count] of listCounts(root, labelNames.length)) {
        this.inc(Object.fromEntries(labelNames.map((label, index) => [label, values[index]])), count);
      }
    },
  });
  return function count(...values) {
    let branch = root;
    for (const value of values) branch = branch.children.get(value) ?? addBranch(branch, value);
    branch.count++;
  };
}

function addBranch({ children }: Branch, value: LabelValue): Branch {
  const branch: Branch = { children: new Map(), count: 0 };
  children.set(value, branch);
  return branch;
}

/** Lists the counts `depth` levels below a branch, each with the values that lead to it. */
function listCounts({ children, count }: Branch, depth: number): [values: LabelValue[], count: number][] {
  if (depth === 0) return [[[], count]];
  return [...children].flatMap(([value, child]) =>
    listCounts(child, depth - 1).map(([values, below]): [LabelValue[], number] => [
      [value, ...values],
      below,
    ]),
  );
}

interface HistogramOptions {
  readonly name: string;
  readonly help: string;
  /** The upper bounds of its buckets, in ascending order. */
  readonly buckets: readonly number[];
  readonly labelName: string;
}

/** What was observed for one value of the label: how many values each bucket has by itself, the last one above all bounds. */
interface Series {
  readonly counts: number[];
  sum: number;
}

/** Creates a histogram, and returns a function that observes a value for one value of its label. */
export function createHistogram(
  registry: Registry,
  { name, help, buckets, labelName }: HistogramOptions,
): (label: string, value: number) => void {
  const allSeries = new Map<string, Series>();
  const description = { name, help, type: 'histogram', aggregator: 'sum' };
  const get = () => ({ ...description, values: Array.from(allSeries, describeSeries).flat() });
  // Of a metric, a registry uses these alone; aggregated ones of the library have no more. The type asks for a class.
  registry.registerMetric({ ...description, get } as unknown as Histogram);

  /** The samples of a series: each bucket includes those below it. */
  function describeSeries([label, { counts, sum }]: [string, Series]): object[] {
    let count = 0;
    const labels = { [labelName]: label };
    const samples = counts.map((own, index) => {
      count += own;
      return {
        metricName: `${name}_bucket`,
        labels: { le: buckets[index] ?? '+Inf', ...labels },
        value: count,
      };
    });
    return [
      ...samples,
      { metricName: `${name}_sum`, labels, value: sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }

  return function observe(label, value) {
    let series = allSeries.get(label);
    if (series === undefined) {
      series = { counts: Array<number>(buckets.length + 1).fill(0), sum: 0 };
      allSeries.set(label, series);
    }
    let bucket = 0;
    while (value > (buckets[bucket] ?? Number.POSITIVE_INFINITY)) bucket++;
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
    series.sum += value;
  };
}
