import type { MetricValues } from '../calls.js';

/** What is shown for each process as well, by the name that it has for all together, which hides which one is at its limit. */
const shownNames: ReadonlyMap<string, string> = new Map([
  ['process_cpu_seconds_total', 'plant_store_process_cpu_seconds_total'],
  ['process_resident_memory_bytes', 'plant_store_process_resident_memory_bytes'],
  ['nodejs_eventloop_lag_p99_seconds', 'plant_store_process_eventloop_lag_p99_seconds'],
  ['plant_store_http_connections', 'plant_store_process_http_connections'],
]);

/**
 * The metrics that are shown for each process, with the label `process`.
 *
 * @param label `primary`, or the number of a worker
 */
export function labelProcess(metrics: MetricValues, label: string): MetricValues {
  return metrics.flatMap((metric) => {
    const name = shownNames.get(metric.name);
    if (name === undefined) return [];
    const values = metric.values.map(({ value }) => ({ value, labels: { process: label } }));
    return [{ ...metric, name, help: `${metric.help} Of each process.`, aggregator: 'sum', values }];
  });
}
