import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { engines } from '../support/database/engines.js';

const app = fileURLToPath(new URL('../..', import.meta.url));
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const ListSchema = z.array(z.object({ file: z.string(), projectName: z.string() }));

/** Lists the files that vitest runs in a mode, with their projects. */
function listTestFiles(mode: string): z.infer<typeof ListSchema> {
  const { stdout } = spawnSync(process.execPath, [vitest, 'list', '--filesOnly', '--json', '--mode', mode], {
    cwd: app,
    encoding: 'utf8',
  });
  return ListSchema.parse(JSON.parse(stdout));
}

/** The names of the HTTP tests that a project runs. */
function namesOf(listed: z.infer<typeof ListSchema>, project: string): string[] {
  return listed
    .filter(({ file, projectName }) => projectName === project && dirname(file) === httpFolder)
    .map(({ file }) => basename(file))
    .toSorted();
}

const httpFolder = join(app, 'test/http');
const httpTests = readdirSync(httpFolder).toSorted();

it('lists every engine that has migrations', () => {
  expect(engines.toSorted()).toEqual(readdirSync(join(app, 'prisma')).toSorted());
});

it('runs every HTTP test on SQLite, and on PostgreSQL all but those that the configuration names', () => {
  const listed = listTestFiles('test');
  expect(namesOf(listed, 'sqlite')).toEqual(httpTests);
  expect(namesOf(listed, 'postgresql')).toHaveLength(httpTests.length - 12);
});

it('runs every HTTP test in every other way in the mode full, but with workers those of what each has a share of', () => {
  const full = listTestFiles('full');
  for (const project of ['postgresql', 'sqlite-plain'])
    expect(namesOf(full, project), project).toEqual(httpTests);
  const ofShares = ['authentication-limit.test.ts', 'rate-limit.test.ts'];
  for (const project of ['sqlite-workers', 'postgresql-workers'])
    expect(namesOf(full, project), project).toEqual(httpTests.filter((name) => !ofShares.includes(name)));
});

it('runs some HTTP tests with workers in a mode of their own', () => {
  const workers = listTestFiles('workers');
  for (const project of ['sqlite-workers', 'postgresql-workers'])
    expect(namesOf(workers, project), project).toHaveLength(8);
});
