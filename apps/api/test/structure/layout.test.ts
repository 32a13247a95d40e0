import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const maxFiles = 14;

/** The `src` folders of all workspaces, with the folders in them, without generated code. */
function listSourceFolders(): string[] {
  const workspaces = ['apps', 'packages'].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => join(root, group, name, 'src')),
  );
  return workspaces.flatMap((source) => [source, ...listSubfolders(source)]);
}

function listSubfolders(folder: string): string[] {
  return listEntries(folder)
    .filter((entry) => entry.isDirectory() && entry.name !== 'generated')
    .flatMap(({ name }) => [join(folder, name), ...listSubfolders(join(folder, name))]);
}

/** Some workspaces have no `src`. */
function listEntries(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

it(`has at most ${maxFiles} files in each folder of src`, () => {
  const folders = listSourceFolders().map((folder) => ({
    folder: relative(root, folder),
    files: listEntries(folder).filter((entry) => entry.isFile()).length,
  }));
  expect(folders).toContainEqual({ folder: 'apps/api/src/auth', files: expect.any(Number) });
  expect(folders.filter(({ files }) => files > maxFiles)).toEqual([]);
});
