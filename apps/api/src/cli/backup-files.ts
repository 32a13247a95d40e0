import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { OperatorError } from '../errors/operator-error.js';
import { writeAtomically } from './atomic-write.js';

export interface BackupName {
  readonly name: string;
  /** The store's ID; `undefined` in names from versions before 1.5, and if the store had no ID yet. */
  readonly storeId: string | undefined;
  readonly time: Date;
}

const pattern = /^plant-store-(?:([0-9a-f]{16})-)?(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z\.db$/;

/** Returns the file name for a store's backup, with the time in UTC. */
export function nameBackup(storeId: string | undefined, time: Date): string {
  const stamp = time.toISOString().slice(0, 19).replaceAll(':', '-');
  return `plant-store-${storeId === undefined ? '' : `${storeId}-`}${stamp}Z.db`;
}

export function parseBackupName(name: string): BackupName | undefined {
  const [, storeId, day, hour, minute, second] = pattern.exec(name) ?? [];
  const time = new Date(`${day}T${hour}:${minute}:${second}Z`);
  return Number.isNaN(time.getTime()) ? undefined : { name, storeId, time };
}

/**
 * Returns the backups among these names, oldest first. Names with a time in the future are returned separately, because this machine's
 * clock is or was wrong, and their age is unknown.
 */
export function sortBackups(
  names: readonly string[],
  now: Date,
): { readonly backups: readonly BackupName[]; readonly future: readonly string[] } {
  const all = names
    .flatMap((name) => parseBackupName(name) ?? [])
    .toSorted((a, b) => a.time.getTime() - b.time.getTime());
  return {
    backups: all.filter(({ time }) => time <= now),
    future: all.filter(({ time }) => time > now).map(({ name }) => name),
  };
}

export function warnOfFuture(future: readonly string[], now: Date): string {
  return `Warning: the times in these names are in the future, so these backups never count as the newest: ${future.join(', ')}. This machine's clock shows ${now.toISOString().slice(0, 19)}Z. If the clock is right, rename these backups to show when they were made, or remove them.`;
}

/** Returns a file's SHA-256, in hexadecimal. */
export async function hashFile(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) {
    signal.throwIfAborted();
    hash.update(chunk);
  }
  return hash.digest('hex');
}

export const sha256PathOf = (path: string) => `${path}.sha256`;

/** Writes a file's SHA-256 next to the file, as `sha256sum` does (GNU coreutils, "cksum output modes"). */
export async function writeSha256(path: string, sha256: string): Promise<void> {
  const name = basename(path);
  const escaped = name.replaceAll(
    /[\\\n\r]/g,
    (character) => ({ '\\': '\\\\', '\n': '\\n', '\r': '\\r' })[character] ?? '',
  );
  const line = `${escaped === name ? '' : '\\'}${sha256}  ${escaped}\n`;
  await writeAtomically(sha256PathOf(path), (temporaryPath) => writeFile(temporaryPath, line));
}

/**
 * Reads the SHA-256 next to a file; `undefined` if there is none.
 *
 * @throws {OperatorError} if the SHA-256 file has another format
 * @throws the operating system's error if the SHA-256 file cannot be read
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
  throw new OperatorError(`${sha256PathOf(path)} does not begin with a checksum in sha256sum format.`);
}
