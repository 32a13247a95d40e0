import { randomUUID } from 'node:crypto';
import {
  closeSync,
  fchownSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';

/** The file beside a database that says when it was backed up last. */
function fileOf(path: string): string {
  return `${path}.last-backup`;
}

/** Notes that a complete and checked backup of a database was made just now. */
export function noteBackup(path: string): void {
  // A reader finds the old time or the new one. The name is new: the owner of the folder could put a link in the place of a known one.
  const written = `${fileOf(path)}.${randomUUID()}`;
  const file = openSync(written, 'wx', 0o600);
  try {
    const { uid, gid } = statSync(path);
    if (process.geteuid?.() === 0) fchownSync(file, uid, gid);
    writeSync(file, `${new Date().toISOString()}\n`);
    renameSync(written, fileOf(path));
  } catch (error) {
    rmSync(written, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
}

/**
 * When the last good backup of a database was made, in milliseconds since 1970; `undefined` if none was noted. It is in the future if the
 * clock was wrong then, or is now.
 */
export function readLastBackup(path: string): number | undefined {
  try {
    const time = Date.parse(readFileSync(fileOf(path), 'utf8').trim());
    return Number.isNaN(time) ? undefined : time;
  } catch {
    return undefined;
  }
}

/** As `plant_store_last_backup_timestamp_seconds` reports it: 0 for never, and for a time in the future, which would silence the alert. */
export function readLastBackupSeconds(path: string): number {
  const time = readLastBackup(path) ?? 0;
  return time > Date.now() ? 0 : time / 1_000;
}
