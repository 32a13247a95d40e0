import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { copyRepository } from './copy-repository.js';
import { fillIns } from './get-plant.js';
import { run } from './run.js';

const generate = ['run', 'operation', '--root', '.', '--args', 'getPlant', 'GET', '/plants/:id', 'read'];
const workspaces = ['packages/contract', 'packages/client', 'apps/api'];
const httpTest = ['run', '--project', 'sqlite', '--project', 'postgresql', 'test/http/get-plant.test.ts'];

it('writes an operation of which only its meaning is to be filled in, by hand and in at most 40 lines', () => {
  const copy = copyRepository();
  expectSuccess(run(copy, 'gen', ...generate));
  expect(run(join(copy, 'apps/api'), 'vitest', ...httpTest).status, 'the test to fill in').not.toBe(0);

  const lines = fillIns.flatMap(({ replacement }) => replacement.trim().split('\n'));
  expect(lines.length).toBeLessThanOrEqual(40);
  for (const { file, generated, replacement } of fillIns) {
    const text = readFileSync(join(copy, file), 'utf8');
    expect(text.split(generated)).toHaveLength(2);
    writeFileSync(
      join(copy, file),
      text.replace(generated, () => replacement),
    );
  }

  for (const workspace of workspaces) expectSuccess(run(join(copy, workspace), 'tsc'));
  expectSuccess(run(copy, 'biome', 'check', '--error-on-warnings', ...workspaces));
  expectSuccess(run(join(copy, 'packages/contract'), 'redocly', 'lint', 'openapi.json'));
  const tests = run(join(copy, 'apps/api'), 'vitest', ...httpTest);
  expectSuccess(tests);
  expect(tests.output).toMatch(/Tests {2}12 passed/);
  expectSuccess(
    run(
      join(copy, 'packages/contract'),
      'vitest',
      'run',
      'src/openapi',
      'src/errors',
      'src/contract.test-d.ts',
    ),
  );
});

it('is written only once', () => {
  const copy = copyRepository();
  expectSuccess(run(copy, 'gen', ...generate));
  const again = run(copy, 'gen', ...generate);
  expect(again.output).toContain('exists already');
});

function expectSuccess({ status, output }: ReturnType<typeof run>): void {
  expect(status, output).toBe(0);
}
