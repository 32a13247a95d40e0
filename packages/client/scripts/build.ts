// Builds the package into `dist` without dependencies: it includes the code and the types that it needs of the contract and, for the
// entries with schemas, zod.
import { execFileSync } from 'node:child_process';
import { copyFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, resolve } from 'node:path';
import { bundle, entries } from './bundle.js';
import { copyTypes } from './copy-types.js';

const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'dist');
const allTypes = join(dist, 'all-types');

rmSync(dist, { recursive: true, force: true });
execFileSync(process.execPath, [fileOf('typescript', 'bin/tsc'), '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
copyTypes({ from: allTypes, to: dist, entries });
rmSync(allTypes, { recursive: true });
await bundle(dist);
copyFileSync(fileOf('zod', 'LICENSE'), join(dist, 'zod.LICENSE'));

/** The path of a file of an installed package. */
function fileOf(name: string, file: string): string {
  return join(createRequire(import.meta.url).resolve(`${name}/package.json`), '..', file);
}
