import { Histogram, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { createHistogram } from './create-histogram.js';

const options = { name: 'duration_seconds', help: 'Time', buckets: [0.001, 0.01, 1] };
const values = [0.0005, 0.001, 0.0010001, 0.5, 1, 7, 0];

it("shows the text of prom-client's own histogram", async () => {
  const [registry, ownRegistry] = [new Registry(), new Registry()];
  const observe = createHistogram(registry, options);
  const own = new Histogram({ ...options, registers: [ownRegistry] });
  expect(await registry.metrics()).toBe(await ownRegistry.metrics());
  for (const value of values) {
    observe(value);
    own.observe(value);
  }
  expect(await registry.metrics()).toBe(await ownRegistry.metrics());
});

it('shows the same text with a label', async () => {
  const [registry, ownRegistry] = [new Registry(), new Registry()];
  const observe = createHistogram(registry, { ...options, label: 'route' });
  const own = new Histogram({ ...options, labelNames: ['route'], registers: [ownRegistry] });
  expect(await registry.metrics()).toBe(await ownRegistry.metrics());
  for (const value of values) {
    const route = value > 0.1 ? '/plants' : 'other';
    observe(value, route);
    own.observe({ route }, value);
  }
  expect(await registry.metrics()).toBe(await ownRegistry.metrics());
});

it('has buckets, a sum and a count of one moment in each scrape', async () => {
  const registry = new Registry();
  const observe = createHistogram(registry, options);
  observe(0.5);
  const text = registry.metrics();
  observe(0.5);
  expect((await text).trim().split('\n').slice(2)).toEqual([
    'duration_seconds_bucket{le="0.001"} 0',
    'duration_seconds_bucket{le="0.01"} 0',
    'duration_seconds_bucket{le="1"} 1',
    'duration_seconds_bucket{le="+Inf"} 1',
    'duration_seconds_sum 0.5',
    'duration_seconds_count 1',
  ]);
});

it('is registered under its name once', () => {
  const registry = new Registry();
  createHistogram(registry, options);
  expect(() => createHistogram(registry, options)).toThrow('already been registered');
});
