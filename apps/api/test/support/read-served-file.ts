import { existsSync, readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

/** The content of a file that the build has written to be served, which is compressed alone if it is large. */
export function readServedFile(path: string): Buffer {
  return existsSync(path) ? readFileSync(path) : brotliDecompressSync(readFileSync(`${path}.br`));
}
