import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { comparisonTables, summarize } from '../src/compare.js';
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
  const runs = await measure(['fastify-sqlite', 'baseline'], 'create');
  expect(runs.map(({ target, round }) => `${target} ${round}`)).toEqual([
    ...['fastify-sqlite 1', 'fastify-sqlite 2', 'baseline 1', 'baseline 2'],
  ]);
  for (const run of runs) {
    expect(run).toMatchObject({ operation: 'create', connections: 2, valid: true, errors: 0 });
    expect(run.requestsPerSecond).toBeGreaterThan(0);
    expect(run.acknowledged).toBeGreaterThanOrEqual(run.requestsPerSecond * 0.5);
    expect(run.p99Ms).toBeGreaterThanOrEqual(run.p50Ms);
    expect(run.peakMemoryBytes).toBeGreaterThan(2 ** 20);
  }
});

it.each(['get', 'list', 'page', 'batch', 'delete'] as const)(
  'measures %s over the records that it has stored before',
  async (operation) => {
    const [run] = await measure(['fastify-sqlite'], operation, 10_000);
    expect(run).toMatchObject({ operation, valid: true, errors: 0 });
    expect(run?.requestsPerSecond).toBeGreaterThan(0);
    expect(Math.sign(run?.acknowledged ?? 0)).toBe(
      { get: 0, list: 0, page: 0, batch: 1, delete: -1 }[operation],
    );
  },
);

it('finds a target that lost an acknowledged record invalid', async () => {
  const forgetful: Engine = {
    ...sqlite,
    async createDatabase(folder) {
      const database = await sqlite.createDatabase(folder);
      return { ...database, countRecords: async () => (await database.countRecords()) - 1_000_000 };
    },
  };
  expect(await measure(['fastify-sqlite'], 'create', 0, forgetful)).toMatchObject([{ valid: false }]);
  const undeleting: Engine = {
    ...sqlite,
    async createDatabase(folder) {
      const database = await sqlite.createDatabase(folder);
      return { ...database, countRecords: async () => (await database.countRecords()) + 100 };
    },
  };
  expect(await measure(['fastify-sqlite'], 'delete', 10_000, undeleting)).toMatchObject([{ valid: false }]);
});

const measured = {
  requestsPerSecond: 12_000,
  p50Ms: 0.25,
  p99Ms: 12.34,
  p999Ms: 45.6,
  maxMs: 78.9,
  acknowledged: 24_000,
  errors: 0,
};
const run: Run = {
  ...measured,
  ...{ target: 'plant-store', connections: 2, round: 1, peakMemoryBytes: 2 ** 27, valid: true },
  operation: 'create',
};

const comparison = {
  settings: { rounds: 3, seconds: 5, warmupSeconds: 1 },
  targets: ['plant-store', 'other'].map((name) => ({ name, title: name, stores: true })),
  summaries: summarize([
    { ...run, requestsPerSecond: 13_000, p50Ms: 3, errors: 1 },
    run,
    { ...run, requestsPerSecond: 12_345.6, errors: 1 },
    { ...run, target: 'other', requestsPerSecond: 1_500, valid: false },
    { ...run, target: 'other', requestsPerSecond: 1_600 },
  ]),
};

it('prints a table of medians, the range and the errors of the rounds, and which target is not valid', () => {
  expect(comparisonTables(comparison).split('\n').slice(0, 6)).toEqual([
    'create, 2 connections',
    '',
    '|                | requests/s | slowest–fastest | p50 ms | p99 ms | p99.9 ms | vs first | errors | peak memory |',
    '|----------------|-----------:|----------------:|-------:|-------:|---------:|---------:|-------:|------------:|',
    '| plant-store    |     12,346 |   12,000–13,000 |   0.25 |   12.3 |     45.6 |   1.00 x |      2 |     128 MiB |',
    '| other, INVALID |      1,550 |     1,500–1,600 |   0.25 |   12.3 |     45.6 |   0.13 x |      0 |     128 MiB |',
  ]);
});
