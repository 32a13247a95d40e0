import { Counter, Registry } from '@prometheus-io/client';
import { addGauge, type MetricValues } from '../observe/metrics.js';
import { withTimeout } from '../runtime/timing.js';
import type { WorkerGroup } from './worker-group.js';
import type { WorkerProcess } from './worker-process.js';

/** How long the primary process waits for a worker's metrics, in milliseconds. After that, it uses the previous ones. */
const timeoutMs = 2_000;

/** The types of metrics whose values are kept after a worker has ended. Gauges are not kept. */
const keptTypes: ReadonlySet<string> = new Set(['counter', 'histogram', 'summary']);

/** How to aggregate the values of several processes, where the library's default is wrong. */
const aggregators: ReadonlyMap<string, MetricValues[number]['aggregator']> = new Map([
  // The library would omit this metric.
  ['process_start_time_seconds', 'min'],
  // The library would use a mean and sums, which hide a single process that is at its limit.
  ['nodejs_eventloop_lag_p99_seconds', 'max'],
  ['process_open_fds', 'max'],
  ['process_max_fds', 'max'],
]);

/** Metrics that are also exported per process, under another name, because the sum hides which process is at its limit. */
const shownNames: ReadonlyMap<string, string> = new Map([
  ['process_cpu_seconds_total', 'plant_store_process_cpu_seconds_total'],
  ['process_resident_memory_bytes', 'plant_store_process_resident_memory_bytes'],
  ['nodejs_eventloop_lag_p99_seconds', 'plant_store_process_eventloop_lag_p99_seconds'],
  ['plant_store_http_connections', 'plant_store_process_http_connections'],
]);

/** Aggregates the metrics of all workers and the primary process, and exports a few of them per process. */
export function createClusterMetrics(registry: Registry, group: WorkerGroup) {
  const latest = new Map<WorkerProcess, MetricValues>();
  let ended: MetricValues = [];
  addGauge(registry, {
    name: 'plant_store_workers',
    help: 'Running workers, whether or not they respond',
    read: () => group.serving().size,
  });
  addGauge(registry, {
    name: 'plant_store_workers_unresponsive',
    help: 'Running workers that have not responded for more than a second',
    read: () => group.serving().size - group.responding().size,
  });
  const ends = new Counter({
    name: 'plant_store_worker_ends_total',
    help: 'Workers that exited unexpectedly',
    registers: [registry],
  });

  async function readWorkers(): Promise<void> {
    const reads = Array.from(group.responding().values(), async (worker) => {
      const values = await withTimeout(worker.ask('metrics'), timeoutMs, () => undefined);
      // If the worker has ended since, `workerEnded` has counted it.
      if (values !== undefined && worker.isRunning()) latest.set(worker, values);
    });
    await Promise.allSettled(reads);
  }

  async function aggregate() {
    // In parallel, because either may wait for a database that hangs.
    const [own] = await Promise.all([registry.getMetricsAsJSON(), readWorkers()]);
    const combined = [own, ended, ...latest.values()].flat().map((metric) => ({
      ...metric,
      aggregator: aggregators.get(metric.name) ?? metric.aggregator,
    }));
    const perWorker = Array.from(group.serving(), ([number, worker]) =>
      labelProcess(latest.get(worker) ?? [], String(number)),
    );
    return Registry.aggregate([combined, labelProcess(own, 'primary'), ...perWorker]);
  }

  return {
    contentType: registry.contentType,
    metrics: async () => (await aggregate()).metrics(),
    /** Does the same as `metrics`, but returns JSON values. */
    read: async () => (await aggregate()).getMetricsAsJSON(),
    /**
     * Keeps the counts of a worker that has ended.
     *
     * @param metrics its last metrics; `undefined` if it ended unexpectedly, so that the metrics of the last scrape are used
     */
    workerEnded(worker: WorkerProcess, metrics: MetricValues | undefined): void {
      if (metrics === undefined) ends.inc();
      const counts = metrics ?? latest.get(worker) ?? [];
      latest.delete(worker);
      const sums = Registry.aggregate([ended, counts.filter(({ type }) => keptTypes.has(type))]);
      // The library's type omits the values of aggregated metrics.
      ended = sums.getMetricsAsArray() as MetricValues;
    },
  };
}

/** Returns the metrics that are exported per process, with the label `process`: `primary`, or a worker's number. */
function labelProcess(metrics: MetricValues, label: string): MetricValues {
  return metrics.flatMap((metric) => {
    const name = shownNames.get(metric.name);
    if (name === undefined) return [];
    const values = metric.values.map(({ value }) => ({ value, labels: { process: label } }));
    return [{ ...metric, name, help: `${metric.help} Per process.`, aggregator: 'sum', values }];
  });
}
