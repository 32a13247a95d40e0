import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';

const root = resolve(import.meta.dirname, '../../..');

/** The packages that an operation is written into. */
const copied = ['packages/contract', 'packages/client', 'apps/api'];
const scope = '@plant-store';

/** Copies the repository's sources until the end of the test, and links what is installed. */
export function copyRepository(): string {
  const copy = realpathSync(mkdtempSync(join(tmpdir(), 'plant-store-')));
  onTestFinished(() => rmSync(copy, { recursive: true }));
  for (const file of [
    '.gitignore',
    '.changeset',
    'docs',
    'biome.json',
    'package.json',
    'tsconfig.base.json',
    'turbo.json',
  ]) {
    cpSync(join(root, file), join(copy, file), { recursive: true });
  }
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const folder of [...copied, 'turbo/generators']) {
    cpSync(join(root, folder), join(copy, folder), {
      recursive: true,
      filter: (path) => !/\/(node_modules|dist|\.turbo)$/.test(path),
    });
  }
  for (const folder of copied) linkDependencies(folder, copy);
  return copy;
}

/** Links the dependencies of a package, each to what is installed, but the copied packages to their copies. */
function linkDependencies(folder: string, copy: string): void {
  const installed = join(root, folder, 'node_modules');
  const linked = join(copy, folder, 'node_modules');
  mkdirSync(join(linked, scope), { recursive: true });
  for (const name of readdirSync(installed).filter((entry) => entry !== scope)) {
    symlinkSync(join(installed, name), join(linked, name));
  }
  const own = join(installed, scope);
  if (!existsSync(own)) return;
  for (const name of readdirSync(own)) {
    const isCopied = copied.includes(`packages/${name}`);
    symlinkSync(
      isCopied ? join(copy, 'packages', name) : realpathSync(join(own, name)),
      join(linked, scope, name),
    );
  }
}
