import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { hashedFolder, hashOf, listName, suffixes } from '../../src/http/read-page.js';

/** Where Vite writes the page. */
export const pageSource = fileURLToPath(new URL('../../../web/dist', import.meta.url));

/** Compresses as far as each coding can: this is done once, and saves every person's time. */
const compressors: ReadonlyMap<string, (content: Buffer) => Buffer> = new Map([
  [
    suffixes.br,
    (content) =>
      brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }),
  ],
  [suffixes.gzip, (content) => gzipSync(content, { level: 9 })],
]);

/**
 * Writes the page as the service reads it: the files that Vite has built, the same compressed where that makes them smaller,
 * and the list of all with their hashes. Source maps, and files of earlier builds, are left out.
 *
 * @param source the folder that Vite has written
 * @param target the folder to write, which must not exist
 * @returns the names of the files of the build, relative to `source`
 * @throws {Error} when there is no page, or a file that would be cached forever has no hash in its name
 */
export function writePage(source: string, target: string): string[] {
  const hashes: Record<string, string> = {};
  const write = (name: string, content: Buffer) => {
    mkdirSync(dirname(join(target, name)), { recursive: true });
    writeFileSync(join(target, name), content);
    hashes[name] = hashOf(content);
  };
  const names = listNames(source);
  if (!names.includes('index.html')) throw new Error(`${source} has no index.html: build apps/web first.`);
  const used = names.filter(findUsed(source, names));
  for (const name of used) {
    if (name.startsWith(hashedFolder) && !/-[\w-]{8}\.\w+$/.test(name)) {
      throw new Error(`${name} has no hash in its name, but would be cached forever.`);
    }
    const content = readFileSync(join(source, name));
    write(name, content);
    for (const [suffix, compress] of compressors) {
      const compressed = compress(content);
      if (compressed.length < content.length) write(`${name}${suffix}`, compressed);
    }
  }
  writeFileSync(join(target, listName), `${JSON.stringify(hashes, undefined, 2)}\n`);
  return used;
}

/**
 * Whether a file belongs to the build: Turborepo restores one beside the files of others, whose names have other hashes. Each
 * is named by one that belongs to it, the document first.
 */
function findUsed(source: string, names: readonly string[]): (name: string) => boolean {
  const used = new Set(names.filter((name) => !name.startsWith(hashedFolder)));
  for (const user of used) {
    const text = readFileSync(join(source, user), 'utf8');
    for (const name of names) if (text.includes(basename(name))) used.add(name);
  }
  return (name) => used.has(name);
}

/** The paths of all files relative to the folder, in the order of their names. */
function listNames(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.map'))
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll('\\', '/'))
    .toSorted();
}
