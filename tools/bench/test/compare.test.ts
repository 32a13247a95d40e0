import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { expect, it, onTestFinished } from 'vitest';
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
