import { expect, it, vi } from 'vitest';
import { type Finding, formatFinding, type Items, inspectAll, medianTimeMs, ok, worstOf } from './finding.js';

it('reports an exception of an item as its error, and still examines the others', async () => {
  const items: Items<string> = {
    first: () => Promise.reject(new Error('no answer')),
    second: (context) => [ok(context), ok('more')],
    third: () => [],
  };
  const findings: Finding[] = [];
  for await (const finding of inspectAll(items, 'context')) findings.push(finding);
  expect(findings).toEqual([
    { item: 'first', status: 'error', found: 'no answer' },
    { item: 'second', status: 'ok', found: 'context' },
    { item: 'second', status: 'ok', found: 'more' },
  ]);
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

it('finds the worst status', () => {
  expect(worstOf([])).toBe('ok');
  expect(worstOf([fine, away, full])).toBe('error');
});

it('measures the median of several times', async () => {
  vi.useFakeTimers();
  const delays = [1, 60, 2];
  expect(await medianTimeMs(3, () => vi.advanceTimersByTime(delays.pop() ?? 0))).toBe(2);
  expect(delays).toEqual([]);
});
