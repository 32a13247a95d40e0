import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { copyRepository, workspaces } from './support/copy-repository.js';
import { checkTypes } from './support/run.js';

let copy: string;
beforeAll(() => {
  copy = copyRepository();
  const sources = { extends: './tsconfig.json', include: ['src'], exclude: ['src/**/*.test.ts'] };
  writeFileSync(join(copy, 'apps/api/tsconfig.sources.json'), JSON.stringify(sources));
  return () => rmSync(copy, { recursive: true });
});

/** Lists the files in which the type check of a workspace, or of one of its configurations, finds errors. */
function findTypeErrors(workspace: (typeof workspaces)[number], project = 'tsconfig.json'): string[] {
  const { status, output } = checkTypes(join(copy, workspace), project);
  const files = new Set(
    [...output.matchAll(/^([^\s(]+)\(\d+,\d+\): error TS/gm)].map(([, file = '']) => file),
  );
  expect(status === 0).toBe(files.size === 0);
  return [...files];
}

it('compiles unchanged', () => {
  expect(workspaces.flatMap((workspace) => findTypeErrors(workspace))).toEqual([]);
});

it.each([
  ['the schemas', 'plant.ts', 'src/http/routes/create-plant.ts', 'src/create-client.test-d.ts'],
  ['the types', 'operations.ts', 'src/plants/create-plant.ts', 'src/testing/handlers/create-plant.ts'],
])(
  'fails to compile everywhere when a field is renamed in %s of the contract',
  (_, file, inApi, inClient) => {
    const path = join(copy, 'packages/contract/src', file);
    const source = readFileSync(path, 'utf8');
    onTestFinished(() => writeFileSync(path, source));
    const renamed = source.replaceAll(/(^ +|; |\{ )name: /gm, '$1title: ');
    expect(renamed).not.toBe(source);
    writeFileSync(path, renamed);

    expect(findTypeErrors('packages/contract')).toContain('src/plant.ts');
    // The service's sources are enough, without its tests, which take most of the time.
    expect(findTypeErrors('apps/api', 'tsconfig.sources.json')).toContain(inApi);
    expect(findTypeErrors('packages/client')).toContain(inClient);
  },
);
