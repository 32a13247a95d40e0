import { Counter, Gauge, Registry } from '@prometheus-io/client';
import { expect, it } from 'vitest';
import { createClusterMetrics } from './cluster-metrics.js';
import type { WorkerGroup } from './worker-group.js';
import type { WorkerProcess } from './worker-process.js';

// Guards upgrades of @prometheus-io/client: its types leave out the values that an aggregated metric has.

/** What shows which process is at its limit. */
const shown = {
  memory: 'process_resident_memory_bytes',
  lag: 'nodejs_eventloop_lag_p99_seconds',
  openFiles: 'process_open_fds',
} as const;

/** A process in which these are all of the same value. */
function createProcess(value: number): Registry {
  const registry = new Registry();
  for (const name of Object.values(shown)) new Gauge({ name, help: name, registers: [registry] }).set(value);
  return registry;
}

/** A worker that has counted so many plants, and has as many in its queue. */
function createWorker(plants: number) {
  const registry = createProcess(plants);
  new Counter({ name: 'plants_total', help: 'Plants', registers: [registry] }).inc(plants);
  new Gauge({ name: 'queue_plants', help: 'Queue', registers: [registry] }).set(plants);
  const read = () => registry.getMetricsAsJSON();
  return { read, process: { ask: read, isRunning: () => true } as unknown as WorkerProcess };
}

function createMetrics(...workers: readonly { readonly process: WorkerProcess }[]) {
  const unresponsive = new Set<number>();
  const serving = new Map(workers.map(({ process }, index) => [index + 1, process]));
  const metrics = createClusterMetrics(createProcess(7), {
    serving: () => serving,
    responding: () => new Map([...serving].filter(([number]) => !unresponsive.has(number))),
  } as unknown as WorkerGroup);
  const scrape = async () =>
    (await metrics.metrics())
      .split('\n')
      .filter((line) => /^(plants|queue|plant|process|nodejs)_/.test(line));
  return { metrics, serving, unresponsive, scrape };
}

it('keeps the counts of workers that ended, but not their gauges', async () => {
  const [first, second, third] = [createWorker(1), createWorker(20), createWorker(300)];
  const { metrics, serving, scrape } = createMetrics(first, second, third);
  const before = await scrape();
  expect(before).toEqual(
    expect.arrayContaining(['plants_total 321', 'queue_plants 321', 'plant_store_workers 3']),
  );

  serving.delete(1);
  metrics.workerEnded(first.process, await createWorker(5).read());
  serving.delete(2);
  metrics.workerEnded(second.process, undefined);
  const after = await scrape();
  expect(after).toEqual(
    expect.arrayContaining([
      'plants_total 325',
      'queue_plants 300',
      'plant_store_workers 1',
      'plant_store_worker_ends_total 1',
    ]),
  );
});

it('shows which process is at its limit', async () => {
  const { scrape } = createMetrics(createWorker(20), createWorker(300));
  expect(await scrape()).toEqual(
    expect.arrayContaining([
      `${shown.memory} 327`,
      `${shown.lag} 300`,
      `${shown.openFiles} 300`,
      'plant_store_process_resident_memory_bytes{process="primary"} 7',
      'plant_store_process_resident_memory_bytes{process="1"} 20',
      'plant_store_process_resident_memory_bytes{process="2"} 300',
      'plant_store_process_eventloop_lag_p99_seconds{process="2"} 300',
    ]),
  );
});

it('shows a worker that was replaced no more for itself', async () => {
  const worker = createWorker(20);
  const { metrics, serving, scrape } = createMetrics(worker);
  await scrape();
  serving.set(1, createWorker(300).process);
  metrics.workerEnded(worker.process, undefined);
  const lines = await scrape();
  expect(lines.filter((line) => line.includes('memory_bytes{process="1"}'))).toEqual([
    'plant_store_process_resident_memory_bytes{process="1"} 300',
  ]);
});

it('counts a worker that does not respond with its last values, and does not wait for it', async () => {
  const worker = createWorker(20);
  const { unresponsive, scrape } = createMetrics(worker, createWorker(300));
  await scrape();
  unresponsive.add(1);
  worker.process.ask = () => new Promise(() => undefined);
  expect(await scrape()).toEqual(
    expect.arrayContaining([
      'plants_total 320',
      'plant_store_workers 2',
      'plant_store_workers_unresponsive 1',
    ]),
  );
});
