import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The workspaces that an operation is written into, as paths relative to the root. */
export const workspaces = ['packages/contract', 'packages/client', 'apps/api'] as const;

const root = resolve(import.meta.dirname, '../../../..');
const scope = '@plant-store';

/** Copies the repository's sources, links what is installed, and returns the path of the copy, which is to be removed. */
export function copyRepository(): string {
  const copy = realpathSync(mkdtempSync(join(tmpdir(), 'plant-store-')));
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
  for (const folder of [...workspaces, 'turbo/generators']) {
    cpSync(join(root, folder), join(copy, folder), {
      recursive: true,
      filter: (path) => !/\/(node_modules|dist|\.turbo)$/.test(path),
    });
  }
  for (const folder of workspaces) linkDependencies(folder, copy);
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
    const isCopied = workspaces.some((workspace) => workspace === `packages/${name}`);
    symlinkSync(
      isCopied ? join(copy, 'packages', name) : realpathSync(join(own, name)),
      join(linked, scope, name),
    );
  }
}
