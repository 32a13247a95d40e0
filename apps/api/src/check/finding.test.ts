import { expect, it, vi } from 'vitest';
import {
  type Finding,
  formatFinding,
  formatJson,
  type Item,
  inspectAll,
  medianTimeMs,
  ok,
  worstOf,
} from './finding.js';

const failing: Item<string> = {
  name: 'first',
  inspect: () => Promise.reject(new Error('no answer')),
};
const working: Item<string> = { name: 'second', inspect: (context) => [ok(context), ok('more')] };
const absent: Item<string> = { name: 'third', inspect: () => [] };

it('reports what an item throws as its error, and examines the others all the same', async () => {
  const findings: Finding[] = [];
  for await (const finding of inspectAll([failing, working, absent], 'context')) findings.push(finding);
  expect(findings).toEqual([
    { item: 'first', status: 'error', found: 'no answer' },
    { item: 'second', status: 'ok', found: 'context' },
    { item: 'second', status: 'ok', found: 'more' },
  ]);
});

it('yields what an item finds before it examines the next one', async () => {
  const examined: string[] = [];
  const items = ['first', 'second'].map(
    (name): Item<undefined> => ({
      name,
      inspect: () => {
        examined.push(name);
        return ok('fine');
      },
    }),
  );
  const { value } = await inspectAll(items, undefined).next();
  expect(value).toEqual({ item: 'first', status: 'ok', found: 'fine' });
  expect(examined).toEqual(['first']);
});

const fine: Finding = { item: 'migrations', status: 'ok', found: 'up to date' };
const full: Finding = { item: 'disk', status: 'warning', found: 'it is full', advice: 'Free space.' };
const away: Finding = { item: 'database', status: 'error', found: 'It is away: ECONNREFUSED\nStart it.' };

it('formats each finding as one line of sentences', () => {
  expect([fine, full, away].map(formatFinding).join('')).toBe(`\
ok       migrations: up to date.
warning  disk: it is full. Free space.
error    database: It is away: ECONNREFUSED. Start it.
`);
});

it('formats them as one JSON document with the worst status', () => {
  expect(JSON.parse(formatJson([full, fine]))).toEqual({ status: 'warning', findings: [full, fine] });
  expect(worstOf([])).toBe('ok');
  expect(worstOf([fine, away, full])).toBe('error');
});

it('measures the median of several times', async () => {
  vi.useFakeTimers();
  const delays = [1, 60, 2];
  expect(await medianTimeMs(3, () => vi.advanceTimersByTime(delays.pop() ?? 0))).toBe(2);
  expect(delays).toEqual([]);
});
