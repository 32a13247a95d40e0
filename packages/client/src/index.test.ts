import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import clientPackage from '../package.json' with { type: 'json' };
import * as client from './index.js';
import * as testing from './testing/index.js';

describe('@plant-store/client', () => {
  it('exports this and nothing else', () => {
    expect(Object.keys(client).sort()).toEqual([
      'NetworkError',
      'PlantStoreError',
      'TimeoutError',
      'UnexpectedResponseError',
      'createClient',
      'errors',
      'isNetworkError',
      'isPlantStoreError',
      'isTimeoutError',
      'isUnexpectedResponseError',
    ]);
  });

  it('includes only plain data of the contract, and nothing of any other package', async () => {
    const { files, packages } = await listImports('src/index.ts');
    expect(files.filter((file) => file.startsWith('../'))).toEqual([
      '../contract/src/errors/errors.ts',
      '../contract/src/exact-json/stringify.ts',
      '../contract/src/routes.ts',
    ]);
    expect(files).toContain('src/errors/network-error.ts');
    expect(files.filter((file) => file.startsWith('src/testing/'))).toEqual([]);
    expect(packages).toEqual([]);
  });

  it('would fail the check above if it included the schemas', async () => {
    const { packages } = await listImports('../contract/src/index.ts');
    expect(packages).toEqual(['@ts-rest/core', 'zod']);
  });
});

describe('@plant-store/client/testing', () => {
  it('exports this and nothing else', () => {
    expect(Object.keys(testing)).toEqual(['createFakePlantStore']);
  });

  it('includes the schemas of the contract, and nothing that only Node.js has', async () => {
    const { files, packages } = await listImports('src/testing/index.ts');
    expect(files).toContain('../contract/src/plant.ts');
    expect(packages).toEqual(['@ts-rest/core', 'zod']);
  });
});

describe('the manifest', () => {
  it('requires no other package', () => {
    expect(clientPackage).not.toHaveProperty('dependencies');
    expect(clientPackage).not.toHaveProperty('peerDependencies');
  });

  it('publishes the exports without the sources, which only the workspace has', () => {
    const built = Object.entries(clientPackage.exports).map(([subpath, target]) => {
      if (typeof target === 'string') return [subpath, target];
      const { '@plant-store/source': source, ...published } = target;
      const file = source.replace('./src/', './dist/').replace(/\.ts$/, '');
      expect(published).toEqual({ types: `${file}.d.ts`, default: `${file}.js` });
      return [subpath, published];
    });
    expect(clientPackage.publishConfig.exports).toEqual(Object.fromEntries(built));
  });
});

/** Every file that a source imports at run time, directly or not, and every package outside this repository among them. */
async function listImports(source: string): Promise<{ files: string[]; packages: string[] }> {
  const { metafile } = await build({
    absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
    entryPoints: [source],
    bundle: true,
    conditions: ['@plant-store/source'],
    format: 'esm',
    metafile: true,
    write: false,
  });
  const inputs = Object.keys(metafile.inputs);
  const packages = inputs.flatMap((input) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? []);
  return {
    files: inputs.filter((input) => !input.includes('/node_modules/')).sort(),
    packages: [...new Set(packages)].sort(),
  };
}
