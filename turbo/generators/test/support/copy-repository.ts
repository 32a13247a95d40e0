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
import type { TestProject } from 'vitest/node';

/** The workspaces that an operation is written into, as paths relative to the root. */
export const workspaces = ['packages/contract', 'packages/client', 'apps/api'] as const;

const root = resolve(import.meta.dirname, '../../../..');
const scope = '@plant-store';

declare module 'vitest' {
  interface ProvidedContext {
    /** The path of the copy of the repository that all tests change. */
    readonly copy: string;
    /** Whether the mode is `nightly`: every example is tested, instead of one of each kind. */
    readonly isNightly: boolean;
  }
}

/** Makes the copy that all tests change, and removes it after them. */
export function setup(project: TestProject): () => void {
  const copy = copyRepository();
  project.provide('copy', copy);
  return () => rmSync(copy, { recursive: true });
}

/** Copies the repository's sources, links what is installed, and returns the path of the copy, which is to be removed. */
function copyRepository(): string {
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
