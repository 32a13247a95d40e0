import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** The file beside a database that says when it was backed up last. */
function fileOf(path: string): string {
  return `${path}.last-backup`;
}

/** Notes that a complete and checked backup of a database was made just now. */
export function noteBackup(path: string): void {
  // Whoever reads it meanwhile finds the old time or the new one.
  const written = `${fileOf(path)}.new`;
  writeFileSync(written, `${new Date().toISOString()}\n`, { mode: 0o600 });
  renameSync(written, fileOf(path));
}

/** When the last good backup of a database was made, in milliseconds since 1970; `undefined` if none was noted. */
export function readLastBackup(path: string): number | undefined {
  try {
    const time = Date.parse(readFileSync(fileOf(path), 'utf8').trim());
    return Number.isNaN(time) ? undefined : time;
  } catch {
    return undefined;
  }
}
