import { expect, it } from 'vitest';
import type { Summary } from './comparison-results.js';
import { comparisonTables } from './comparison-tables.js';

const summary: Summary = {
  target: 'plant-store',
  connections: 64,
  requestsPerSecond: 12_345.6,
  slowestRequestsPerSecond: 12_000,
  fastestRequestsPerSecond: 13_000,
  p50Ms: 0.25,
  p99Ms: 12.34,
  ratioToPlantStore: 1,
  errors: 2,
  peakMemoryBytes: 2 ** 27,
  valid: false,
};

it('puts every figure of a target under its heading', () => {
  const tables = comparisonTables({
    settings: { rounds: 3, seconds: 5, warmupSeconds: 1, connections: [64] },
    targets: [{ name: 'plant-store', title: 'Plant Store', about: '', stores: true }],
    summaries: [summary],
  });
  const [title, , head = '', , row = '', , note] = tables.split('\n');
  const cells = (line: string) => line.split('|').map((cell) => cell.trim());
  expect(title).toBe('64 connections');
  const headings = cells(head);
  expect(Object.fromEntries(cells(row).map((cell, column) => [headings[column], cell]))).toEqual({
    '': '',
    'requests/s': '12,346',
    'slowest–fastest': '12,000–13,000',
    'p50 ms': '0.25',
    'p99 ms': '12.3',
    'vs Plant Store': '1.00 x',
    errors: '2',
    'peak memory': '128 MiB',
    stored: 'INVALID',
  });
  expect(note).toBe('Requests/s, p50 and p99: the median of 3 rounds of 5 s each.');
});
