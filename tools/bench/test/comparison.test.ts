import { readdirSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { runComparison } from '../src/comparison/run-comparison.js';
import { selectTargets } from '../src/comparison/select-targets.js';
import type { DatabaseEngine } from '../src/databases/database.js';
import { sqlite } from '../src/databases/sqlite.js';
import { killProcesses } from '../src/processes/start-process.js';
import { allTargets } from '../src/targets/all-targets.js';
import { isNightly } from './support/is-nightly.js';
import { shortComparison } from './support/short-comparison.js';
import { temporaryFolder } from './support/temporary-folder.js';

afterAll(killProcesses);

/** By default one that stores plants and the one that stores none, since each takes seconds; in the mode `nightly` all. */
const measured = allTargets.filter(
  ({ name }) => isNightly || name === 'fastify-sqlite' || name === 'baseline',
);

it('a comparison measures every target, counts what is stored, and leaves no file', async () => {
  const folder = temporaryFolder();
  const targets = selectTargets(measured, () => undefined);
  const runs = await runComparison(
    targets,
    sqlite,
    { ...shortComparison, rounds: 2 },
    { folder, log: () => undefined },
  );
  expect(readdirSync(folder)).toEqual([]);
  expect(runs.map(({ target, round }) => `${target} ${round}`)).toEqual(
    targets.flatMap(({ name }) => [`${name} 1`, `${name} 2`]),
  );
  for (const run of runs) {
    expect(run).toMatchObject({ valid: true, errors: 0, errorCounts: {} });
    expect(run.acknowledged).toBeGreaterThan(0);
    expect(run.requestsPerSecond).toBeGreaterThan(0);
  }
  for (const { name } of targets.filter(({ stores }) => stores)) {
    const [first, second] = runs.filter(({ target }) => target === name);
    const acknowledged = (first?.acknowledged ?? 0) + (second?.acknowledged ?? 0);
    expect(first?.storedPlants).toBeGreaterThanOrEqual(acknowledged);
    expect(second?.storedPlants).toBe(first?.storedPlants);
  }
});

it('a target that lost an acknowledged plant is not valid', async () => {
  const forgetful: DatabaseEngine = {
    title: 'forgetful',
    async createDatabase(folder) {
      const database = await sqlite.createDatabase(folder);
      return { ...database, countPlants: async () => (await database.countPlants()) - 1_000_000 };
    },
  };
  const [run] = await runComparison(
    allTargets.filter(({ name }) => name === 'fastify-sqlite'),
    forgetful,
    shortComparison,
    { folder: temporaryFolder(), log: () => undefined },
  );
  expect(run).toMatchObject({ valid: false });
});
