import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, inject, it, onTestFinished } from 'vitest';
import { checkTypes } from './support/run.js';

const copy = inject('copy');
const isNightly = inject('isNightly');

/** One program of all three workspaces, which share most of their files. */
const sources = {
  extends: './tsconfig.json',
  // Those of the client, too.
  compilerOptions: { lib: ['es2024', 'dom', 'dom.iterable'] },
  include: ['src', '../../packages/client/src', '../../packages/contract/src'],
  // The service's sources are enough, without its tests, which take most of the time.
  exclude: ['src/**/*.test.ts'],
};
beforeAll(() => writeFileSync(join(copy, 'apps/api/tsconfig.sources.json'), JSON.stringify(sources)));

/** Lists the files in which the type check finds errors, relative to the service. */
function findTypeErrors(): string[] {
  const { status, output } = checkTypes(join(copy, 'apps/api'), 'tsconfig.sources.json');
  const files = new Set(
    [...output.matchAll(/^([^\s(]+)\(\d+,\d+\): error TS/gm)].map(([, file = '']) => file),
  );
  expect(status === 0).toBe(files.size === 0);
  return [...files];
}

const ofSchemas = {
  what: 'the schemas',
  file: 'schemas.ts',
  inApi: 'src/http/routes/operations.ts',
};
const ofTypes = {
  what: 'the types',
  file: 'operations.ts',
  inApi: 'src/plants/create-plant.ts',
};

// Each check takes seconds, so by default there is one. That these files compile otherwise is up to `pnpm typecheck`.
it.each(isNightly ? [ofSchemas, ofTypes] : [ofSchemas])(
  'fails to compile everywhere when a field is renamed in $what of the contract',
  ({ file, inApi }) => {
    if (isNightly) expect(findTypeErrors()).toEqual([]);
    const path = join(copy, 'packages/contract/src', file);
    const source = readFileSync(path, 'utf8');
    onTestFinished(() => writeFileSync(path, source));
    const renamed = source.replaceAll(/(^ +|; |\{ )name: /gm, '$1title: ');
    expect(renamed).not.toBe(source);
    writeFileSync(path, renamed);

    expect(findTypeErrors()).toEqual(
      expect.arrayContaining([
        '../../packages/contract/src/schemas.ts',
        inApi,
        '../../packages/client/src/create-client.test-d.ts',
      ]),
    );
  },
);
