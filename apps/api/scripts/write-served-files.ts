import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { compress, hashedFolder, hashOf, listName, suffixes } from '../src/http/served-files.js';

/** The size above which a file is large, in bytes. */
const largeBytes = 2 ** 16;

/**
 * Writes files in the form that the service reads (`src/http/served-files.ts`): each file, compressed versions that are smaller, and a
 * list with their hashes. To keep a release small, a large file is written only compressed, if that is smaller.
 *
 * @param target the folder to write, which must not exist
 * @throws {Error} when a file that would be cached forever has no hash in its name
 */
export function writeServedFiles(target: string, files: Iterable<readonly [name: string, Buffer]>): void {
  const hashes: Record<string, string> = {};
  const write = (name: string, content: Buffer) => {
    mkdirSync(dirname(join(target, name)), { recursive: true });
    writeFileSync(join(target, name), content);
    hashes[name] = hashOf(content);
  };
  for (const [name, content] of files) {
    if (name.startsWith(hashedFolder) && !/-[\w-]{6,8}\.\w+$/.test(name)) {
      throw new Error(`${name} has no hash in its name, but would be cached forever.`);
    }
    const compressed = compress(content);
    if (content.length <= largeBytes || compressed.length === 0) write(name, content);
    for (const [coding, smaller] of compressed) write(`${name}${suffixes[coding]}`, smaller);
  }
  writeFileSync(join(target, listName), `${JSON.stringify(hashes, undefined, 2)}\n`);
}
