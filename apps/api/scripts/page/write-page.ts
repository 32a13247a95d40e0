import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hashedFolder } from '../../src/http/served-files.js';
import { writeServedFiles } from '../write-served-files.js';

/** Where Vite writes the web app. */
export const pageSource = fileURLToPath(new URL('../../../web/dist', import.meta.url));

/**
 * Writes the web app in the form that the service reads (`write-served-files.ts`), without source maps and files of earlier builds.
 *
 * @param source the folder that Vite has written
 * @param target the folder to write, which must not exist
 * @throws {Error} when the web app is not built, or a file that would be cached forever has no hash in its name
 */
export function writePage(source: string, target: string): void {
  const names = listNames(source);
  if (!names.includes('index.html')) throw new Error(`${source} has no index.html: build apps/web first.`);
  const used = findUsed(source, names);
  writeServedFiles(
    target,
    names.filter((name) => used.has(name)).map((name) => [name, readFileSync(join(source, name))]),
  );
}

/**
 * Finds the files of the last build. Turborepo restores a build beside the files of others, whose names have other hashes. Starting
 * from the HTML, each file of the build is named in another one.
 */
function findUsed(source: string, names: readonly string[]): ReadonlySet<string> {
  const used = new Set(names.filter((name) => !name.startsWith(hashedFolder)));
  for (const user of used) {
    const text = readFileSync(join(source, user), 'utf8');
    for (const name of names) if (text.includes(basename(name))) used.add(name);
  }
  return used;
}

/** The paths of all files relative to the folder, in the order of their names. */
function listNames(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.map'))
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll('\\', '/'))
    .toSorted();
}
