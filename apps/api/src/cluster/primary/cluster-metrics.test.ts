import { Counter, Gauge, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { createClusterMetrics } from './cluster-metrics.js';
import type { WorkerGroup } from './worker-group.js';
import type { WorkerProcess } from './worker-process.js';

/** A worker that has counted so many plants, and has as many in its queue. */
function createWorker(plants: number) {
  const registry = new Registry();
  new Counter({ name: 'plants_total', help: 'Plants', registers: [registry] }).inc(plants);
  new Gauge({ name: 'queue_plants', help: 'Queue', registers: [registry] }).set(plants);
  const read = () => registry.getMetricsAsJSON();
  return { read, process: { calls: { call: read }, isRunning: () => true } as unknown as WorkerProcess };
}

function createMetrics(...workers: readonly { readonly process: WorkerProcess }[]) {
  const serving = new Map(workers.map(({ process }, index) => [index + 1, process]));
  const metrics = createClusterMetrics(new Registry(), {
    serving: () => serving,
  } as unknown as WorkerGroup);
  const scrape = async () =>
    (await metrics.metrics()).split('\n').filter((line) => /^(plants|queue|plant)_/.test(line));
  return { metrics, serving, scrape };
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
