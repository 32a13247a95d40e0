import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { compress, hashedFolder, hashOf, listName, suffixes } from '../src/http/served-files.js';

/** From how many bytes on a file is large: it is text, and thus smaller compressed. */
const largeBytes = 2 ** 20;

/**
 * Writes files as the service reads them (`src/http/served-files.ts`): each, the same compressed where that is smaller, and the
 * list of these with their hashes. A large one is written compressed alone, so that a release is small.
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
    if (name.startsWith(hashedFolder) && !/-[\w-]{8}\.\w+$/.test(name)) {
      throw new Error(`${name} has no hash in its name, but would be cached forever.`);
    }
    if (content.length <= largeBytes) write(name, content);
    for (const [coding, compressed] of compress(content)) write(`${name}${suffixes[coding]}`, compressed);
  }
  writeFileSync(join(target, listName), `${JSON.stringify(hashes, undefined, 2)}\n`);
}
