import { resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';
import clientPackage from '../package.json' with { type: 'json' };

/** The entries of the package, as files of `src` without their ending. */
export const entries = Object.values(clientPackage.exports).flatMap((target) =>
  typeof target === 'string' ? [] : [target.default.replace(/^\.\/dist\/|\.js$/g, '')],
);

/** So that a program loads them once, and an error is of the same class in each entry. */
const shareEntries: Plugin = {
  name: 'share-entries',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\/(edit|unwrap)\.js$/ }, ({ path }) => ({ path, external: true })),
};

/** Writes each entry as one file into a folder, bundled with what it uses of the contract and zod; MSW stays an import. */
export async function bundle(outdir: string): Promise<void> {
  await build({
    absWorkingDir: resolve(import.meta.dirname, '..'),
    entryPoints: entries.map((entry) => `src/${entry}.ts`),
    outdir,
    bundle: true,
    external: ['msw'],
    plugins: [shareEntries],
    conditions: ['@plant-store/source'],
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    sourcemap: true,
    logLevel: 'warning',
  });
}
