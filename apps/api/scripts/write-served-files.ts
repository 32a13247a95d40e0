import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { hashedFolder, hashOf, listName, suffixes } from '../src/http/served-files.js';

/** Compresses as far as each coding can: this is done once, and saves every person's time. */
const compressors: ReadonlyMap<string, (content: Buffer) => Buffer> = new Map([
  [
    suffixes.br,
    (content) =>
      brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } }),
  ],
  [suffixes.gzip, (content) => gzipSync(content, { level: 9 })],
]);

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
    for (const [suffix, compress] of compressors) {
      const compressed = compress(content);
      if (compressed.length < content.length) write(`${name}${suffix}`, compressed);
    }
  }
  writeFileSync(join(target, listName), `${JSON.stringify(hashes, undefined, 2)}\n`);
}
