import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { engines } from '../support/database/engines.js';

const app = fileURLToPath(new URL('../..', import.meta.url));
const vitest = join(dirname(createRequire(import.meta.url).resolve('vitest/package.json')), 'vitest.mjs');
const ListSchema = z.array(z.object({ file: z.string(), projectName: z.string() }));

/** Lists every test file that vitest runs without arguments, with its project. */
function listTestFiles(): z.infer<typeof ListSchema> {
  const { stdout } = spawnSync(process.execPath, [vitest, 'list', '--filesOnly', '--json'], {
    cwd: app,
    encoding: 'utf8',
  });
  return ListSchema.parse(JSON.parse(stdout));
}

it('lists every engine that has migrations', () => {
  expect(engines.toSorted()).toEqual(readdirSync(join(app, 'prisma')).toSorted());
});

it('runs every HTTP test once for each engine, and once more without the fast path', () => {
  const files = readdirSync(join(app, 'test/http')).map((file) => join(app, 'test/http', file));
  const listed = listTestFiles().filter(({ file }) => files.includes(file));
  const projects = [...engines, 'sqlite-plain'];
  const expected = files.flatMap((file) => projects.map((projectName) => ({ file, projectName })));
  const inOrder = (list: typeof listed) => list.map((entry) => JSON.stringify(entry)).toSorted();
  expect(files.length).toBeGreaterThan(0);
  expect(inOrder(listed)).toEqual(inOrder(expected));
});
