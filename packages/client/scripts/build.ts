// Builds the package into `dist` without dependencies: each entry is one file, bundled with the code that it uses of the
// contract and, in the entry for tests, of zod; that for MSW imports MSW. The types include those that they need of the
// contract.
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
copyFileSync(fileOf('zod', 'LICENSE'), join(dist, 'testing/zod.LICENSE'));

/** The path of a file of an installed package. */
function fileOf(name: string, file: string): string {
  return join(createRequire(import.meta.url).resolve(`${name}/package.json`), '..', file);
}
