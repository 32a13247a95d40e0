// Builds the package into `dist` without dependencies: it includes the code and the types that it needs of the contract and, for the
// entries with schemas, zod.
import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { bundle, entries } from './bundle.js';
import { copyTypes } from './copy-types.js';

const root = resolve(import.meta.dirname, '..');
const dist = join(root, 'dist');
const allTypes = join(dist, 'all-types');

rmSync(dist, { recursive: true, force: true });
execFileSync(process.execPath, [join(folderOf('typescript'), 'bin/tsc'), '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
});
copyTypes({ from: allTypes, to: dist, entries });
rmSync(allTypes, { recursive: true });
const included = await bundle(dist);
// With `LICENSE` in its name, pnpm would leave out the license of the repository.
writeFileSync(join(dist, 'third-party-notices.txt'), [...included].map(renderNotice).join('\n'));
// Modules that have types and no code, which nothing imports at run time.
for (const file of globSync('**/*.js', { cwd: dist })) {
  if (statSync(join(dist, file)).size === 0) rmSync(join(dist, file));
}

function renderNotice(name: string): string {
  const folder = folderOf(name);
  const [file] = globSync('LICEN[CS]E*', { cwd: folder });
  if (file === undefined) throw new Error(`${name} has no license to pass on`);
  return `${name}\n\n${readFileSync(join(folder, file), 'utf8')}`;
}

function folderOf(name: string): string {
  return dirname(createRequire(import.meta.url).resolve(`${name}/package.json`));
}
