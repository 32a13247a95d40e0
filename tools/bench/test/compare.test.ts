import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect, it, onTestFinished } from 'vitest';
import { comparisonTables, limitOf, summarize } from '../src/compare.js';
import { type Engine, sqlite } from '../src/databases.js';
import { measureTargets, type Run } from '../src/measure-targets.js';
import { allTargets } from '../src/targets.js';

/** Measures targets on two connections, over so many records. */
async function measure(names: readonly string[], operation: Run['operation'], records = 0, on = sqlite) {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const targets = allTargets.filter(({ name }) => names.includes(name));
  const settings = { rounds: names.length, seconds: 0.5, warmupSeconds: 0.1 };
  const runs = await measureTargets(targets, on, folder, { operation, connections: 2, records }, settings);
  expect(readdirSync(folder)).toEqual([]);
  return runs;
}

it('measures each target in each round, and checks what is stored', async () => {
  const runs = await measure(['fastify-group', 'baseline'], 'create');
  const rounds = ['fastify-group 1', 'fastify-group 2', 'baseline 1', 'baseline 2'];
  expect(runs.map(({ target, round }) => `${target} ${round}`)).toEqual(rounds);
  for (const run of runs) {
    expect(run).toMatchObject({ operation: 'create', connections: 2, valid: true, errors: 0 });
    expect(run.requestsPerSecond).toBeGreaterThan(0);
    expect(run.acknowledged).toBeGreaterThanOrEqual(run.requestsPerSecond * 0.5);
    expect(run.p99Ms).toBeGreaterThanOrEqual(run.p50Ms);
    expect(run.peakMemoryBytes).toBeGreaterThan(2 ** 20);
    expect(run.generatorCores).toBeGreaterThan(0);
    if (process.platform === 'linux') {
      expect(run.serverCores).toBeGreaterThan(0);
      expect(run.processorUs).toBeGreaterThan(1);
      expect(run.processorUs * run.requestsPerSecond).toBeLessThan(2e6);
    }
  }
});

it.each(['get', 'list', 'page', 'batch', 'delete'] as const)(
  'measures %s over the records that it has stored before',
  async (operation) => {
    const [run] = await measure(['fastify-group'], operation, 10_000);
    expect(run).toMatchObject({ operation, valid: true, errors: 0 });
    expect(run?.requestsPerSecond).toBeGreaterThan(0);
    const signs = { get: 0, list: 0, page: 0, batch: 1, delete: -1 };
    expect(Math.sign(run?.acknowledged ?? 0)).toBe(signs[operation]);
  },
);

it('finds a target that lost an acknowledged record invalid', async () => {
  const miscounting = (by: number): Engine => ({
    ...sqlite,
    async createDatabase(folder) {
      const database = await sqlite.createDatabase(folder);
      return { ...database, countRecords: async () => (await database.countRecords()) + by };
    },
  });
  const forgetful = await measure(['fastify-group'], 'create', 0, miscounting(-1_000_000));
  const undeleting = await measure(['fastify-group'], 'delete', 10_000, miscounting(100));
  expect([...forgetful, ...undeleting]).toMatchObject([{ valid: false }, { valid: false }]);
});

const latencies = { p50Ms: 0.25, p99Ms: 12.34, p999Ms: 45.6, maxMs: 78.9 };
const used = { processorUs: 45.67, serverCores: 0.95, generatorCores: 0.5, peakMemoryBytes: 2 ** 27 };
const load = { target: 'plant-store', connections: 2, round: 1, operation: 'create' } as const;
const counted = { requestsPerSecond: 12_000, acknowledged: 24_000, errors: 0, valid: true };
const run: Run = { ...latencies, ...used, ...load, ...counted };

const comparison = {
  settings: { rounds: 3, seconds: 5, warmupSeconds: 1 },
  targets: [
    { name: 'plant-store', title: 'Plant Store', stores: true, versions: '1.4.0' },
    { name: 'other', title: 'other', stores: true, versions: 'fastify 5.1.2', leavesOut: 'request log' },
  ],
  summaries: summarize([
    { ...run, requestsPerSecond: 13_000, p50Ms: 3, errors: 1 },
    run,
    { ...run, requestsPerSecond: 12_345.6, errors: 1 },
    { ...run, target: 'other', requestsPerSecond: 1_500, valid: false },
    { ...run, target: 'other', requestsPerSecond: 1_600 },
  ]),
};

it('names what limits a figure', () => {
  const limit = (serverCores: number, generatorCores: number, target: object = {}, connections = 64) =>
    limitOf({ serverCores, generatorCores, connections }, { stores: true, ...target });
  expect(limit(0.9, 0.9)).toBe('processor');
  expect(limit(0.89, 0.9)).toBe('generator');
  expect(limit(0.89, 0.89)).toBe('disk or database');
  expect(limit(0.89, 0.89, { cores: 0.8 })).toBe('processor');
  expect(limit(0.89, 0.89, {}, 1)).toBe('one connection');
  expect(limit(0.5, 0.5, { stores: false })).toBe('–');
  expect(limit(Number.NaN, 0.5)).toBe('–');
});

it('prints a table of medians, the range and the errors of the rounds, which target is not valid, and what each is', () => {
  expect(comparisonTables(comparison)).toBe(
    `create, 2 connections

|                | requests/s | slowest–fastest | p50 ms | p99 ms | p99.9 ms | vs Plant Store | errors | peak memory | processor µs | limited by |
|----------------|-----------:|----------------:|-------:|-------:|---------:|---------------:|-------:|------------:|-------------:|-----------:|
| Plant Store    |     12,300 |   12,000–13,000 |  0.250 |   12.3 |     45.6 |         1.00 x |      2 |     128 MiB |         45.7 |  processor |
| other, INVALID |      1,550 |     1,500–1,600 |  0.250 |   12.3 |     45.6 |         0.13 x |      0 |     128 MiB |         45.7 |  processor |

The others have no limits per caller, changes feed, history, record of who made each change, or overload protection. What else each leaves out:

- Plant Store (1.4.0): nothing
- other (fastify 5.1.2): request log

Requests/s and percentiles: the median of 3 rounds of 5 s each. Processor µs: of the processes of the server, for each request, without those of PostgreSQL.`,
  );
});
