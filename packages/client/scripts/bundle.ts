import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { type BuildOptions, build } from 'esbuild';
import clientPackage from '../package.json' with { type: 'json' };
import { findContractModule } from './contract-modules.js';

/** The entries of the package, as files of `src` without their ending. */
export const entries = Object.values(clientPackage.exports).flatMap((target) =>
  typeof target === 'string' ? [] : [target.default.replace(/^\.\/dist\/|\.js$/g, '')],
);

const root = resolve(import.meta.dirname, '..');
const options = {
  absWorkingDir: root,
  bundle: true,
  conditions: ['@plant-store/source'],
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  logLevel: 'warning',
} satisfies BuildOptions;

/** The entries with the schemas of the contract, and with zod. */
const withSchemas = { 'testing/index': 'src/testing/index.ts', validate: 'src/validate.ts' };

/** The modules of the client, each of which becomes a file: bundlers then load only those that a part of a program uses. */
const modules = globSync('src/{*,errors/*}.ts', {
  cwd: root,
  exclude: ['**/*.test.ts', '**/*.test-d.ts', ...Object.values(withSchemas)],
});

/**
 * Writes the package into a folder, with the modules of the contract that it needs. The entries with schemas are one file each, and
 * share `schemas.js`, which includes zod. MSW stays an import.
 *
 * @returns the names of the packages that it includes
 */
export async function bundle(outdir: string): Promise<ReadonlySet<string>> {
  const used = new Map<string, string>();
  await build({
    ...options,
    external: ['msw'],
    entryPoints: modules,
    outbase: 'src',
    outdir,
    plugins: [
      {
        name: 'keep-modules',
        setup: ({ onResolve }) =>
          onResolve(
            { filter: /^(\.|@plant-store\/contract\/)/, namespace: 'file' },
            ({ path, kind, importer }) => {
              if (kind === 'entry-point') return undefined;
              if (path.startsWith('.')) return { path, external: true };
              const module = findContractModule(path);
              used.set(`contract/${module}`, `../contract/src/${module}.ts`);
              const up = importer.includes('/errors/') ? '..' : '.';
              return { path: `${up}/contract/${module}.js`, external: true };
            },
          ),
      },
    ],
  });
  await build({ ...options, entryPoints: Object.fromEntries(used), outdir });
  const { metafile } = await build({
    ...options,
    entryPoints: withSchemas,
    alias: { '@ts-rest/core': './scripts/ts-rest.ts' },
    splitting: true,
    chunkNames: 'schemas',
    outdir,
    metafile: true,
  });
  const inputs = Object.keys(metafile.inputs);
  return new Set(inputs.flatMap((path) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []));
}
