import { Counter, Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { createCounter } from './create-counter.js';

const options = { name: 'requests_total', help: 'Requests' };

it("shows the text of prom-client's own counter", async () => {
  const [registry, ownRegistry] = [new Registry(), new Registry()];
  const count = createCounter(registry, { ...options, labels: ['method', 'status'] });
  const own = new Counter({ ...options, labelNames: ['method', 'status'], registers: [ownRegistry] });
  for (const [method, status] of [
    ['POST', 200],
    ['GET', 404],
    ['POST', 400],
    ['POST', 200],
    ['"\\\n', ''],
  ] as const) {
    count(method, status);
    own.inc({ method, status });
  }
  const lines = async (each: Registry) => (await each.metrics()).split('\n').toSorted();
  expect(await lines(registry)).toEqual(await lines(ownRegistry));
});

it('shows initial values at zero, and others once they are counted', async () => {
  const registry = new Registry();
  const count = createCounter(registry, { ...options, labels: ['outcome'] }, ['stored', 'replayed']);
  count('replayed');
  count('cut_off');
  expect(await registry.metrics()).toBe(`# HELP requests_total Requests
# TYPE requests_total counter
requests_total{outcome="stored"} 0
requests_total{outcome="replayed"} 1
requests_total{outcome="cut_off"} 1
`);
});

it('is at zero from the start without labels, and never falls back between scrapes', async () => {
  const registry = new Registry();
  const count = createCounter(registry, { ...options, labels: [] });
  const read = async () => (await registry.metrics()).split('\n')[2];
  expect(await read()).toBe('requests_total 0');
  count();
  const [first, second] = [read(), read()];
  count();
  expect(await Promise.all([first, second, read()])).toEqual([
    'requests_total 1',
    'requests_total 1',
    'requests_total 2',
  ]);
});
