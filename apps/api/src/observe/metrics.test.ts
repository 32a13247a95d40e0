import { statfsSync } from 'node:fs';
import { Counter, Histogram, Registry } from '@prometheus-io/client';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { addDiskGauges, createCounter, createHistogram, readAtMostEvery } from './metrics.js';

// Guards upgrades of @prometheus-io/client: a registry takes any object with `get`, and calls `collect` before it reads values.

const counter = { name: 'requests_total', help: 'Requests' };

it("a counter shows the text of the library's own", async () => {
  const [registry, ownRegistry] = [new Registry(), new Registry()];
  const labelNames = ['method', 'status'];
  const count = createCounter(registry, { ...counter, labelNames });
  const own = new Counter({ ...counter, labelNames, registers: [ownRegistry] });
  const statuses = [200, 404, 400, 200, ''];
  for (const [at, method] of ['POST', 'GET', 'POST', 'POST', '"\\\n'].entries()) {
    const status = statuses[at] ?? '';
    count(method, status);
    own.inc({ method, status });
  }
  const lines = async (each: Registry) => (await each.metrics()).split('\n').toSorted();
  expect(await lines(registry)).toEqual(await lines(ownRegistry));
});

it('a counter shows initial values at zero, others once they are counted, and never falls back', async () => {
  const registry = new Registry();
  const initial = ['stored', 'replayed'];
  const count = createCounter(registry, { ...counter, labelNames: ['outcome'], initial });
  count('replayed');
  count('cut_off');
  const text = `# HELP requests_total Requests
# TYPE requests_total counter
requests_total{outcome="stored"} 0
requests_total{outcome="replayed"} 1
requests_total{outcome="cut_off"} 1
`;
  expect(await Promise.all([registry.metrics(), registry.metrics()])).toEqual([text, text]);
});

const histogram = { name: 'duration_seconds', help: 'Time', buckets: [0.001, 0.01, 1] };

it("a histogram shows the text of the library's own", async () => {
  const [registry, ownRegistry] = [new Registry(), new Registry()];
  const observe = createHistogram(registry, { ...histogram, labelName: 'route' });
  const own = new Histogram({ ...histogram, labelNames: ['route'], registers: [ownRegistry] });
  expect(await registry.metrics()).toBe(await ownRegistry.metrics());
  for (const value of [0.0005, 0.001, 0.0010001, 0.5, 1, 7, 0]) {
    const route = value > 0.1 ? '/plants' : 'other';
    observe(route, value);
    own.observe({ route }, value);
  }
  expect(await registry.metrics()).toBe(await ownRegistry.metrics());
  // As workers pass it on.
  expect(structuredClone(await registry.getMetricsAsJSON())).toHaveLength(1);
});

it('a histogram has buckets, a sum and a count of one moment in each scrape', async () => {
  const registry = new Registry();
  const observe = createHistogram(registry, { ...histogram, labelName: 'route' });
  observe('/', 0.5);
  const text = registry.metrics();
  observe('/', 0.5);
  expect((await text).trim().split('\n').slice(2)).toEqual([
    'duration_seconds_bucket{le="0.001",route="/"} 0',
    'duration_seconds_bucket{le="0.01",route="/"} 0',
    'duration_seconds_bucket{le="1",route="/"} 1',
    'duration_seconds_bucket{le="+Inf",route="/"} 1',
    'duration_seconds_sum{route="/"} 0.5',
    'duration_seconds_count{route="/"} 1',
  ]);
});

it('a histogram is registered under its name once', () => {
  const registry = new Registry();
  const create = () => createHistogram(registry, { ...histogram, labelName: 'route' });
  create();
  expect(create).toThrow('already been registered');
});

it('a value that is read while its source hangs or fails is the previous one, and one read is in flight', async () => {
  let reads = 0;
  let source: Promise<number> = Promise.resolve(1);
  const read = readAtMostEvery(0, 0, () => {
    reads++;
    return source;
  });
  expect(await read()).toBe(1);
  const hanging = Promise.withResolvers<number>();
  source = hanging.promise;
  expect(await Promise.all([read(), read(), read()])).toEqual([1, 1, 1]);
  expect(reads).toBe(2);
  hanging.reject(new Error('away'));
  expect(await read()).toBe(1);
  source = Promise.resolve(3);
  expect(await read()).toBe(3);
});

it('a value is read at most once within the interval', async () => {
  let reads = 0;
  const read = readAtMostEvery(60_000, 0, async () => ++reads);
  expect([await read(), await read()]).toEqual([1, 1]);
});

it('the metrics of a disk have the size of the disk that a path is on, and what is free', async () => {
  const registry = new Registry();
  const folder = temporaryFolder();
  addDiskGauges(registry, folder);
  const values = async () =>
    [...(await registry.metrics()).matchAll(/^plant_store_sqlite_disk_(\w+)_bytes (\d+)$/gm)].map(
      ([, name, value]) => [name, Number(value)] as const,
    );
  const before = Object.fromEntries(await values());
  const { bsize, blocks } = statfsSync(folder);
  expect(before).toEqual({ free: expect.any(Number), size: bsize * blocks });
  expect(before['free']).toBeGreaterThan(0);
  expect(before['free']).toBeLessThan(bsize * blocks);
});
