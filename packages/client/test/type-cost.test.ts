import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';

const folder = join(import.meta.dirname, '..');

/** A program that creates a client of so many operations, and calls each. */
function program(operations: number): string {
  const names = Array.from({ length: operations }, (_, index) => `getPlant${index}`);
  const routes = names.map(
    (name) =>
      `${name}: { method: 'GET', path: '/${name}/:id', statuses: [200, 400, 404, 503], idempotent: true },`,
  );
  const types = names.map(
    (name) => `${name}: {
      params: { id: number | bigint };
      query: { tag?: string | undefined };
      responses: { [Status in (typeof routes)['${name}']['statuses'][number]]: Status extends 200 ? Plant : ErrorBody<Status> };
    };`,
  );
  const calls = names.map(
    (name) =>
      `client.${name}({ params: { id: 1n } }).then((reply) => reply.status === 200 && reply.body.name);`,
  );
  return `import type { ErrorBody } from '@plant-store/contract/errors';
import type { Plant } from '@plant-store/contract/operations';
import type { ClientOf } from '../../src/client.js';

const routes = {
  ${routes.join('\n')}
} as const;
interface Operations {
  ${types.join('\n')}
}
declare const client: ClientOf<Operations>;
${calls.join('\n')}
`;
}

/** How many types the compiler instantiates for a program with so many operations. */
function countInstantiations(operations: number): number {
  const project = mkdtempSync(join(folder, 'node_modules/.type-cost-'));
  onTestFinished(() => rmSync(project, { recursive: true }));
  writeFileSync(join(project, 'program.ts'), program(operations));
  const compilerOptions = { lib: ['es2024', 'dom'], types: [], skipLibCheck: true };
  writeFileSync(
    join(project, 'tsconfig.json'),
    JSON.stringify({ extends: '../../../../tsconfig.base.json', compilerOptions, files: ['program.ts'] }),
  );
  const tsc = join(folder, 'node_modules/typescript/bin/tsc');
  const options = ['-p', project, '--extendedDiagnostics', '--singleThreaded'];
  const { status, stdout } = spawnSync(process.execPath, [tsc, ...options], { encoding: 'utf8' });
  expect(status, stdout).toBe(0);
  return Number(/^Instantiations:\s+(\d+)/m.exec(stdout)?.[1]);
}

// Only a test that hangs takes this long: it runs the compiler three times.
it('grows linearly with the operations: one of 100 costs no more than one of 10', {
  timeout: 300_000,
}, () => {
  const [one = 0, ten = 0, hundred = 0] = [1, 10, 100].map(countInstantiations);
  expect(one).toBeGreaterThan(0);
  expect((hundred - ten) / 90).toBeLessThanOrEqual(1.2 * ((ten - one) / 9));
});
