import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, it } from 'vitest';
import clientPackage from '../package.json' with { type: 'json' };
import * as client from './index.js';

/** Entry points of 1.4 whose exports are now in the root. 2.0 removes them. */
const deprecated = ['bulk', 'follow', 'list', 'unwrap'];

/** By entry: what it exports, the files that it includes besides its own, and the packages. */
const entries: Record<string, [exports: string[], files: string[], packages?: string[]]> = {
  'tanstack-query': [
    ['createTanstackQueryUtils', 'deserialize', 'serialize'],
    [
      '../contract/src/exact-json/stringify.ts',
      'src/backoff.ts',
      'src/edit.ts',
      'src/serialize.ts',
      'src/unwrap.ts',
      'src/errors/plant-store-error.ts',
      'src/errors/unexpected-response-error.ts',
    ],
  ],
  // Neither a schema nor the fake. The caller passes in the fake.
  msw: [['createHandlers'], ['../contract/src/routes.ts', 'src/parse-base-url.ts'], ['msw']],
};

it.each(Object.entries(entries))('./%s exports and includes this alone', async (name, expected) => {
  const [exported, files, packages = []] = expected;
  expect(Object.keys(await import(/* @vite-ignore */ `./${name}.ts`)).sort()).toEqual(exported);
  const included = await listImports(`src/${name}.ts`, ['msw']);
  expect(included).toEqual({ files: [...files, `src/${name}.ts`].sort(), packages });
});

it('. exports this and nothing else, and bundles only plain data of the contract and no package', async () => {
  const calls = 'createClient listAll countTags followChanges storeAll updateAll deleteAll getAll';
  const edits = 'startEdit saveEdit hasChanges isEditConflict';
  const classes = [
    'PlantStoreError',
    'NetworkError',
    'RejectedError',
    'TimeoutError',
    'UnexpectedResponseError',
  ];
  const guards = classes.map((name) => `is${name}`);
  const exported = `${calls} ${edits} ensureSuccess unwrap errors`.split(' ').concat(classes, guards);
  expect(Object.keys(client).sort()).toEqual(exported.sort());
  const { files, packages } = await listImports('src/index.ts');
  expect(files.filter((file) => file.startsWith('../'))).toEqual(
    [
      '../contract/src/errors.ts',
      '../contract/src/exact-json/stringify.ts',
      '../contract/src/plants.ts',
      '../contract/src/resource.ts',
      '../contract/src/routes.ts',
    ].sort(),
  );
  expect(files.filter((file) => /^src\/(tanstack-query|testing|msw|validate)\b/.test(file))).toEqual([]);
  expect(packages).toEqual([]);
});

it.each([
  ['testing/index', 'createFakePlantStore'],
  ['validate', 'validateReply'],
])(
  './%s exports %s, and includes the schemas of the contract and nothing that only Node.js has',
  async (entry, exported) => {
    expect(Object.keys(await import(/* @vite-ignore */ `./${entry}.ts`))).toEqual([exported]);
    const { files, packages } = await listImports(`src/${entry}.ts`);
    expect(files).toContain('../contract/src/schemas.ts');
    expect(packages).toEqual(['@ts-rest/core', 'zod']);
  },
);

it.each(deprecated)('./%s still exports what the root exports', async (name) => {
  const exported: Record<string, unknown> = await import(/* @vite-ignore */ `./${name}.ts`);
  const root: Record<string, unknown> = { ...client };
  expect(Object.keys(exported).length).toBeGreaterThan(0);
  for (const [key, value] of Object.entries(exported)) expect(root[key]).toBe(value);
});

it('requires no other package, and lists MSW and TanStack Query as optional peers', () => {
  expect(clientPackage).not.toHaveProperty('dependencies');
  expect(Object.keys(clientPackage.peerDependencies)).toEqual(['msw']);
  const adapters = ['query-core', 'react-query', 'solid-query', 'svelte-query', 'vue-query'];
  const optional = [...adapters.map((adapter) => `@tanstack/${adapter}`), 'msw'];
  const meta = Object.fromEntries(optional.map((name) => [name, { optional: true }]));
  expect(clientPackage.peerDependenciesMeta).toEqual(meta);
});

it('publishes the exports without the source entries of the workspace', () => {
  const built = Object.entries(clientPackage.exports).map(([subpath, target]) => {
    if (typeof target === 'string') return [subpath, target];
    const file = target['@plant-store/source'].replace('./src/', './dist/').replace(/\.ts$/, '');
    const published = { types: `${file}.d.ts`, default: `${file}.js` };
    expect(target).toMatchObject(published);
    return [subpath, published];
  });
  expect(clientPackage.publishConfig.exports).toEqual(Object.fromEntries(built));
});

/** Every file of this repository that a source imports at run time, directly or not, and every package. */
async function listImports(source: string, external: string[] = []) {
  const { metafile } = await build({
    absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
    entryPoints: [source],
    conditions: ['@plant-store/source'],
    bundle: true,
    external,
    format: 'esm',
    metafile: true,
    write: false,
  });
  const inputs = Object.keys(metafile.inputs);
  const imports = Object.values(metafile.inputs).flatMap((input) => input.imports.map(({ path }) => path));
  const packages = inputs.flatMap((input) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? []);
  return {
    files: inputs.filter((input) => !input.includes('/node_modules/')).sort(),
    packages: [...new Set([...packages, ...external.filter((name) => imports.includes(name))])].sort(),
  };
}
