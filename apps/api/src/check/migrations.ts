import { ok, type Result, warning } from './finding.js';

/** @param pending the names of the migrations that are not applied yet */
export function describePending(pending: readonly string[]): Result {
  if (pending.length === 0) return ok('up to date');
  return warning(
    `pending: ${pending.join(', ')}`,
    'serve applies them as it starts, and migrate does only that. Make a backup before, as docs/backup.md describes.',
  );
}
