import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../support/temporary-folder.js';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const workspaces = ['packages/contract', 'packages/client', 'apps/api'];
const tsc = join(dirname(createRequire(import.meta.url).resolve('typescript/package.json')), 'bin/tsc');

/** Copies the workspace's own files, and links the installed dependencies. */
function copyWorkspace(): string {
  const copy = join(temporaryFolder(), 'workspace');
  mkdirSync(copy);
  for (const file of ['tsconfig.base.json', 'package.json']) cpSync(join(root, file), join(copy, file));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const workspace of workspaces) {
    cpSync(join(root, workspace), join(copy, workspace), {
      recursive: true,
      filter: (path) => !/\/(node_modules|dist|\.turbo)$/.test(path),
    });
    linkDependencies(join(root, workspace), join(copy, workspace), copy);
  }
  return copy;
}

/** Links the dependencies of the original workspace, but the copies of the workspaces that it depends on. */
function linkDependencies(original: string, workspace: string, copy: string): void {
  mkdirSync(join(workspace, 'node_modules/@plant-store'), { recursive: true });
  const {
    dependencies = {},
    devDependencies = {},
  }: Record<string, Record<string, string>> = JSON.parse(
    readFileSync(join(original, 'package.json'), 'utf8'),
  );
  for (const name of Object.keys({ ...dependencies, ...devDependencies })) {
    const local = /^@plant-store\/(contract|client)$/.exec(name)?.[1];
    const target = local === undefined ? join(original, 'node_modules', name) : join(copy, 'packages', local);
    const link = join(workspace, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(target, link);
  }
}

/** Lists the files in which the type check of a workspace finds errors. */
function findTypeErrors(copy: string, workspace: string): string[] {
  const { stdout, status } = spawnSync(process.execPath, [tsc, '--pretty', 'false'], {
    cwd: join(copy, workspace),
    encoding: 'utf8',
  });
  const files = new Set(
    [...stdout.matchAll(/^([^\s(]+)\(\d+,\d+\): error TS/gm)].map(([, file = '']) => file),
  );
  expect(status === 0).toBe(files.size === 0);
  return [...files];
}

// Each test type-checks three whole workspaces.
const timeoutMs = 900_000;

it('compiles unchanged', { timeout: timeoutMs }, () => {
  const copy = copyWorkspace();
  expect(workspaces.flatMap((workspace) => findTypeErrors(copy, workspace))).toEqual([]);
});

it.each([
  ['the schemas', 'plant.ts', 'src/http/routes/create-plant.ts', 'src/create-client.test-d.ts'],
  ['the types', 'operations.ts', 'src/plants/create-plant.ts', 'src/testing/handlers/create-plant.ts'],
])(
  'fails to compile everywhere when a field is renamed in %s of the contract',
  { timeout: timeoutMs },
  (_, file, inApi, inClient) => {
    const copy = copyWorkspace();
    const path = join(copy, 'packages/contract/src', file);
    const source = readFileSync(path, 'utf8');
    const renamed = source.replaceAll(/(^ +|; |\{ )name: /gm, '$1title: ');
    expect(renamed).not.toBe(source);
    writeFileSync(path, renamed);

    expect(findTypeErrors(copy, 'packages/contract')).toContain('src/plant.ts');
    expect(findTypeErrors(copy, 'apps/api')).toContain(inApi);
    expect(findTypeErrors(copy, 'packages/client')).toContain(inClient);
  },
);
