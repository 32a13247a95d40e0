import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import packageJson from '../package.json' with { type: 'json' };
import * as index from './index.js';

const root = new URL('../', import.meta.url);
const modules = Object.entries(packageJson.exports).flatMap(([subpath, target]) =>
  typeof target === 'string' ? [] : [[subpath, target] as const],
);

describe('the exports of the package', () => {
  it('are these subpaths', () => {
    expect(Object.keys(packageJson.exports)).toEqual([
      '.',
      './errors',
      './operations',
      './fields',
      './record-format',
      './routes',
      './request-target',
      './messages',
      './cursor',
      './access-token',
      './exact-json/parse',
      './exact-json/stringify',
      './openapi',
      './openapi.json',
      './package.json',
    ]);
  });

  it('are these names', () => {
    expect(Object.keys(index).sort()).toEqual([
      'ErrorSchema',
      'INT64_MAX',
      'INT64_MIN',
      'Int64ParameterSchema',
      'Int64Schema',
      'MAX_PLANTS',
      'NewPlantSchema',
      'PlantSchema',
      'QUERY_MAX_LENGTHS',
      'contract',
      'errors',
      'isInt64',
      'jsonShapeOf',
      'routes',
    ]);
  });

  it.each(modules)('%s has a source, and its build is made from it', (_, target) => {
    const source = target['@plant-store/source'];
    expect(source).toSatisfy((path: string) => existsSync(new URL(path, root)));
    const built = source.replace('./src/', './dist/');
    expect(target.types).toBe(built.replace(/\.ts$/, '.d.ts'));
    expect(target.default).toBe(built.replace(/\.ts$/, '.js'));
  });

  it.each(['openapi.json', 'package.json'] as const)('./%s is the file of that name', (file) => {
    expect(packageJson.exports[`./${file}`]).toBe(`./${file}`);
    expect(existsSync(new URL(file, root))).toBe(true);
  });
});

describe('the packages that a module loads', () => {
  it.each([
    'errors.ts',
    'routes.ts',
    'limits.ts',
    'request-target.ts',
    'int64.ts',
    'messages.ts',
    'access-token.ts',
    'exact-json/parse.ts',
    'exact-json/stringify.ts',
  ])('%s: none', async (file) => {
    expect(await packagesLoadedBy(file)).toEqual([]);
  });

  it.each([
    ['schemas.ts', ['zod']],
    ['contract.ts', ['@ts-rest/core', 'zod']],
    ['index.ts', ['@ts-rest/core', 'zod']],
    ['openapi.ts', ['@ts-rest/core', 'zod', 'zod-openapi']],
  ])('%s: %j', async (file, packages) => {
    expect(await packagesLoadedBy(file)).toEqual(packages);
  });
});

/** The packages that a source file imports at run time, itself or through the files that it imports. */
async function packagesLoadedBy(file: string): Promise<string[]> {
  const { metafile } = await build({
    absWorkingDir: fileURLToPath(root),
    entryPoints: [`src/${file}`],
    bundle: true,
    format: 'esm',
    packages: 'external',
    metafile: true,
    write: false,
  });
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports);
  return [...new Set(imports.filter(({ external }) => external).map(({ path }) => path))].sort();
}
