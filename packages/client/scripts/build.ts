// Builds the package into `dist` so that it needs no other: each entry is one file, with what it runs of the contract,
// and the entry for tests with what that runs of zod; the types come with what they need of the contract's.
import { execFileSync } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { copyTypes } from './copy-types.js';

const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'dist');
const allTypes = join(dist, 'all-types');

rmSync(dist, { recursive: true, force: true });
execFileSync(process.execPath, [fileOf('typescript', 'bin/tsc'), '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
copyTypes({ from: allTypes, to: dist, entries: ['index', 'testing/index'] });
rmSync(allTypes, { recursive: true });
await build({
  absWorkingDir: root,
  entryPoints: ['src/index.ts', 'src/testing/index.ts'],
  outdir: 'dist',
  bundle: true,
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
