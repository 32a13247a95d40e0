import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { describe, expect, it } from 'vitest';
import clientPackage from '../package.json' with { type: 'json' };
import * as bulk from './bulk.js';
import * as client from './index.js';
import * as list from './list.js';
import * as msw from './msw.js';
import * as tanstackQuery from './tanstack-query.js';
import * as testing from './testing/index.js';
import * as unwrapping from './unwrap.js';

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
      '../contract/src/errors.ts',
      '../contract/src/exact-json/stringify.ts',
      '../contract/src/routes.ts',
    ]);
    expect(files).toContain('src/errors/network-error.ts');
    expect(files.filter((file) => /^src\/(unwrap|tanstack-query|testing|msw)\b/.test(file))).toEqual([]);
    expect(packages).toEqual([]);
  });

  it('would fail the check above if it included the schemas', async () => {
    const { packages } = await listImports('../contract/src/index.ts');
    expect(packages).toEqual(['@ts-rest/core', 'zod']);
  });
});

describe('@plant-store/client/unwrap', () => {
  it('exports this and nothing else', () => {
    expect(Object.keys(unwrapping).sort()).toEqual([
      'RejectedError',
      'ensureSuccess',
      'isRejectedError',
      'unwrap',
    ]);
  });

  it('includes no contract, no client and nothing of any other package', async () => {
    expect(await listImports('src/unwrap.ts')).toEqual({
      files: ['src/backoff.ts', 'src/unwrap.ts'],
      packages: [],
    });
  });
});

describe('@plant-store/client/list', () => {
  it('exports this and nothing else, and includes the fields, unwrap and timing alone', async () => {
    expect(Object.keys(list)).toEqual(['listAll']);
    expect(await listImports('src/list.ts')).toEqual({
      files: ['../contract/src/fields.ts', 'src/backoff.ts', 'src/list.ts', 'src/unwrap.ts'],
      packages: [],
    });
  });
});

describe('@plant-store/client/bulk', () => {
  it('exports this and nothing else, and includes unwrap and timing alone', async () => {
    expect(Object.keys(bulk)).toEqual(['storeAll']);
    expect(await listImports('src/bulk.ts')).toEqual({
      files: ['src/backoff.ts', 'src/bulk.ts', 'src/timeout.ts', 'src/unwrap.ts'],
      packages: [],
    });
  });
});

describe('@plant-store/client/tanstack-query', () => {
  it('exports this and nothing else, with the errors of unwrap', () => {
    expect(Object.keys(tanstackQuery).sort()).toEqual([
      'RejectedError',
      'createTanstackQueryUtils',
      'deserialize',
      'isRejectedError',
      'serialize',
    ]);
    expect(tanstackQuery.RejectedError).toBe(unwrapping.RejectedError);
  });

  it('includes unwrap and nothing of any other package, TanStack Query among them', async () => {
    const { files, packages } = await listImports('src/tanstack-query.ts');
    expect(files).toEqual([
      '../contract/src/exact-json/stringify.ts',
      'src/backoff.ts',
      'src/serialize.ts',
      'src/tanstack-query.ts',
      'src/unwrap.ts',
    ]);
    expect(packages).toEqual([]);
  });
});

describe('@plant-store/client/msw', () => {
  it('exports this and nothing else', () => {
    expect(Object.keys(msw)).toEqual(['createHandlers']);
  });

  it('includes no schema and no fake, which its caller brings', async () => {
    const { files, packages } = await listImports('src/msw.ts', ['msw']);
    expect(files).toEqual(['../contract/src/routes.ts', 'src/msw.ts', 'src/parse-base-url.ts']);
    expect(packages).toEqual([]);
  });
});

describe('@plant-store/client/testing', () => {
  it('exports this and nothing else', () => {
    expect(Object.keys(testing)).toEqual(['createFakePlantStore']);
  });

  it('includes the schemas of the contract, and nothing that only Node.js has', async () => {
    const { files, packages } = await listImports('src/testing/index.ts');
    expect(files).toContain('../contract/src/schemas.ts');
    expect(packages).toEqual(['@ts-rest/core', 'zod']);
  });
});

describe('the manifest', () => {
  it('requires no other package, and names MSW and TanStack Query only for those who have them', () => {
    expect(clientPackage).not.toHaveProperty('dependencies');
    expect(Object.keys(clientPackage.peerDependencies)).toEqual(['msw']);
    const adapters = ['query-core', 'react-query', 'solid-query', 'svelte-query', 'vue-query'];
    expect(clientPackage.peerDependenciesMeta).toEqual(
      Object.fromEntries(
        [...adapters.map((adapter) => `@tanstack/${adapter}`), 'msw'].map((name) => [
          name,
          { optional: true },
        ]),
      ),
    );
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

/**
 * Every file that a source imports at run time, directly or not, and every package outside this repository among them,
 * except for the external ones.
 */
async function listImports(
  source: string,
  external: string[] = [],
): Promise<{ files: string[]; packages: string[] }> {
  const { metafile } = await build({
    absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
    entryPoints: [source],
    bundle: true,
    external,
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
