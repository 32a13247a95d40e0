import { readdirSync } from 'node:fs';
import { afterAll, expect, it } from 'vitest';
import { runComparison } from '../../src/comparison/run-comparison.js';
import { startPostgresql } from '../../src/databases/start-postgresql.js';
import { killProcesses } from '../../src/processes/start-process.js';
import { postgresqlTargets } from '../../src/targets/all-targets.js';
import { shortComparison } from '../support/short-comparison.js';
import { temporaryFolder } from '../support/temporary-folder.js';

afterAll(killProcesses);

// Not by default: a comparison does the same on each engine, and `postgresql-end.test.ts` begins one.
it('a comparison on PostgreSQL measures every target, counts what is stored, and leaves no file', async () => {
  const server = await startPostgresql(temporaryFolder());
  const folder = temporaryFolder();
  const runs = await runComparison(postgresqlTargets, server, shortComparison, {
    folder,
    log: () => undefined,
  });
  await server.stop();
  expect(readdirSync(folder)).toEqual([]);
  expect(runs.map(({ target }) => target)).toEqual(postgresqlTargets.map(({ name }) => name));
  for (const run of runs) {
    expect(run).toMatchObject({ valid: true, errors: 0, errorCounts: {} });
    expect(run.acknowledged).toBeGreaterThan(0);
    expect(run.storedPlants).toBeGreaterThanOrEqual(run.acknowledged);
  }
});
