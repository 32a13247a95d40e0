import { statfsSync } from 'node:fs';
import { Registry } from '@prometheus-io/client';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { addDiskGauges, createCounter, readAtMostEvery } from './metrics.js';

it('a counter shows initial values at zero, others once they are counted, and never falls back', async () => {
  const registry = new Registry();
  const initial = ['stored', 'replayed'];
  const counter = { name: 'requests_total', help: 'Requests', labelName: 'outcome', initial };
  const count = createCounter(registry, counter);
  count('replayed', 2);
  count('cut_off');
  const text = `# HELP requests_total Requests
# TYPE requests_total counter
requests_total{outcome="stored"} 0
requests_total{outcome="replayed"} 2
requests_total{outcome="cut_off"} 1
`;
  expect(await Promise.all([registry.metrics(), registry.metrics()])).toEqual([text, text]);
});

it('a value stays the same while its source hangs or fails, and only one read is in flight', async () => {
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

it('the metrics of a disk have the size and the free space of the disk of a path', async () => {
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
