// Builds the package into `dist` without dependencies: each entry is one file, bundled with the code that it uses of the
// contract and, in the entry for tests, of zod; that for MSW imports MSW. The types include those that they need of the
// contract.
import { execFileSync } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';
import clientPackage from '../package.json' with { type: 'json' };
import { copyTypes } from './copy-types.js';

const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'dist');
const allTypes = join(dist, 'all-types');

const entries = Object.values(clientPackage.exports).flatMap((target) =>
  typeof target === 'string' ? [] : [target.default.replace(/^\.\/dist\/|\.js$/g, '')],
);
/** So that an error is of the same class in each entry. */
const shareUnwrap: Plugin = {
  name: 'share-unwrap',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^\.\/unwrap\.js$/ }, ({ path }) => ({ path, external: true })),
};

rmSync(dist, { recursive: true, force: true });
execFileSync(process.execPath, [fileOf('typescript', 'bin/tsc'), '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
copyTypes({ from: allTypes, to: dist, entries });
rmSync(allTypes, { recursive: true });
await build({
  absWorkingDir: root,
  entryPoints: entries.map((entry) => `src/${entry}.ts`),
  outdir: 'dist',
  bundle: true,
  external: ['msw'],
  plugins: [shareUnwrap],
  conditions: ['@plant-store/source'],
  format: 'esm',
  platform: 'neutral',
  target: 'es2022',
  sourcemap: true,
  logLevel: 'warning',
});
copyFileSync(fileOf('zod', 'LICENSE'), join(dist, 'testing/zod.LICENSE'));

/** The path of a file of an installed package. */
function fileOf(name: string, file: string): string {
  return join(createRequire(import.meta.url).resolve(`${name}/package.json`), '..', file);
}
