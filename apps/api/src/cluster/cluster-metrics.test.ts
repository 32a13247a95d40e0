import { Counter, Gauge, Registry } from '@prometheus-io/client';
import { expect, it } from 'vitest';
import { createClusterMetrics } from './cluster-metrics.js';
import type { WorkerGroup } from './worker-group.js';
import type { WorkerProcess } from './worker-process.js';

// Guards upgrades of @prometheus-io/client: its types leave out the values that an aggregated metric has.

/** A process in which all metrics that show its limit have the same value. */
function createProcess(value: number): Registry {
  const registry = new Registry();
  const shown = ['process_resident_memory_bytes', 'nodejs_eventloop_lag_p99_seconds', 'process_open_fds'];
  for (const name of shown) new Gauge({ name, help: name, registers: [registry] }).set(value);
  return registry;
}

/** A worker that has counted a number of plants, and has as many in its queue. */
function createWorker(plants: number) {
  const registry = createProcess(plants);
  new Counter({ name: 'plants_total', help: 'Plants', registers: [registry] }).inc(plants);
  new Gauge({ name: 'queue_plants', help: 'Queue', registers: [registry] }).set(plants);
  return { ask: () => registry.getMetricsAsJSON(), isRunning: () => true } as unknown as WorkerProcess;
}

function createMetrics(...workers: readonly WorkerProcess[]) {
  const unresponsive = new Set<number>();
  const serving = new Map(workers.map((process, index) => [index + 1, process]));
  const metrics = createClusterMetrics(createProcess(7), {
    serving: () => serving,
    responding: () => new Map([...serving].filter(([number]) => !unresponsive.has(number))),
  } as unknown as WorkerGroup);
  const expectLines = async (...lines: readonly string[]) =>
    expect((await metrics.metrics()).split('\n')).toEqual(expect.arrayContaining([...lines]));
  return { metrics, serving, unresponsive, expectLines };
}

it('keeps the counts of workers that ended, but not their gauges', async () => {
  const [first, second, third] = [createWorker(1), createWorker(20), createWorker(300)];
  const { metrics, serving, expectLines } = createMetrics(first, second, third);
  await expectLines('plants_total 321', 'queue_plants 321', 'plant_store_workers 3');

  serving.delete(1);
  metrics.workerEnded(first, await createWorker(5).ask('metrics'));
  serving.delete(2);
  metrics.workerEnded(second, undefined);
  await expectLines('plants_total 325', 'queue_plants 300', 'plant_store_workers 1');
  await expectLines('plant_store_worker_ends_total 1');
});

it('shows which process is at its limit', async () => {
  const { expectLines } = createMetrics(createWorker(20), createWorker(300));
  await expectLines(
    'process_resident_memory_bytes 327',
    'nodejs_eventloop_lag_p99_seconds 300',
    'process_open_fds 300',
    'plant_store_process_resident_memory_bytes{process="primary"} 7',
    'plant_store_process_resident_memory_bytes{process="1"} 20',
    'plant_store_process_resident_memory_bytes{process="2"} 300',
    'plant_store_process_eventloop_lag_p99_seconds{process="2"} 300',
  );
});

it('no longer shows a replaced worker separately', async () => {
  const worker = createWorker(20);
  const { metrics, serving } = createMetrics(worker);
  await metrics.metrics();
  serving.set(1, createWorker(300));
  metrics.workerEnded(worker, undefined);
  const lines = (await metrics.metrics()).match(/^.*memory_bytes\{process="1"\}.*$/gm);
  expect(lines).toEqual(['plant_store_process_resident_memory_bytes{process="1"} 300']);
});

it('uses the last values of a worker that does not respond, without waiting for it', async () => {
  const worker = createWorker(20);
  const { metrics, unresponsive, expectLines } = createMetrics(worker, createWorker(300));
  await metrics.metrics();
  unresponsive.add(1);
  worker.ask = () => new Promise(() => undefined);
  await expectLines('plants_total 320', 'plant_store_workers 2', 'plant_store_workers_unresponsive 1');
});
