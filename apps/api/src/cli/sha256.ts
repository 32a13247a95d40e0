import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { OperatorError } from '../errors/operator-error.js';
import { writeAtomically } from './atomic-write.js';

/** The SHA-256 of a file, in hexadecimal. */
export async function hashFile(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) {
    signal.throwIfAborted();
    hash.update(chunk);
  }
  return hash.digest('hex');
}

/** The file beside a file that has its SHA-256. */
export const sha256PathOf = (path: string) => `${path}.sha256`;

/** Writes the SHA-256 of a file beside it, as `sha256sum` does (GNU coreutils, "cksum output modes"). */
export async function writeSha256(path: string, sha256: string): Promise<void> {
  const name = basename(path);
  const escaped = name.replaceAll(
    /[\\\n\r]/g,
    (character) => ({ '\\': '\\\\', '\n': '\\n', '\r': '\\r' })[character] ?? '',
  );
  const line = `${escaped === name ? '' : '\\'}${sha256}  ${escaped}\n`;
  await writeAtomically(sha256PathOf(path), async (temporaryPath) => {
    const file = await open(temporaryPath, 'w');
    await file.writeFile(line).finally(() => file.close());
  });
}

/**
 * The SHA-256 beside a file; `undefined` where there is none.
 *
 * @throws {OperatorError} when the file with it has another format
 * @throws the error of the operating system when it cannot be read
 */
export async function readSha256(path: string): Promise<string | undefined> {
  const file = await open(sha256PathOf(path)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (file === undefined) return undefined;
  try {
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(65), position: 0 });
    const [, sha256] = /^\\?([0-9a-f]{64})/i.exec(buffer.toString('latin1', 0, bytesRead)) ?? [];
    if (sha256 !== undefined) return sha256.toLowerCase();
  } finally {
    await file.close();
  }
  throw new OperatorError(`${sha256PathOf(path)} does not begin with a SHA-256, as sha256sum writes it.`);
}
