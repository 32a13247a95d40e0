import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { compress, hashedFolder, hashOf, listName, suffixes } from '../src/http/served-files.js';

/** From how many bytes on a file is large. */
const largeBytes = 2 ** 16;

/**
 * Writes files as the service reads them (`src/http/served-files.ts`): each, the same compressed where that is smaller, and the
 * list of these with their hashes. A large one that is smaller compressed is written so alone, so that a release is small.
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
