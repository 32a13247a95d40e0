import { chownSync, existsSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../config.js';
import { OperatorError } from '../errors/operator-error.js';
import { writeAtomically } from './atomic-write.js';
import { isBackup, listBackups } from './backup.js';
import { abortOnSignal, type CliContext, countOf } from './cli-context.js';
import { invalidateCursors } from './invalidate-cursors.js';

export interface RestoreOptions {
  /** A file, a folder or `s3://bucket/prefix/`, whose latest backup is taken, or `s3://bucket/key`. */
  readonly source: string;
  readonly dryRun?: boolean;
}

/**
 * Replaces a SQLite database by a backup, which is checked before. The database that was there is moved to a new name beside it, and
 * never deleted.
 *
 * @param environment has the credentials for S3
 * @throws {OperatorError} when the backup is not a complete one of a plant store, or a service has the database open; nothing is
 * changed then
 */
export async function restore(
  { database }: Config,
  { source, dryRun = false }: RestoreOptions,
  environment: Readonly<Record<string, string | undefined>>,
  context: CliContext,
): Promise<void> {
  if (database.engine !== 'sqlite')
    throw new OperatorError(
      'Only a SQLite database is restored by this command. Restore PostgreSQL by what made its backup, such as pg_basebackup, pg_restore or the provider.',
    );
  const { path } = database;
  const signal = abortOnSignal(context);
  const { copySqlite } = await import('../store/sqlite/copy-sqlite.js');
  const isNew = !existsSync(path);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const restored = `${path}.restored`;
  const fetched = `${path}.fetched`;
  const temporary = [restored, `${restored}-wal`, `${restored}-shm`, fetched];
  for (const file of temporary) rmSync(file, { force: true });
  try {
    const from = await fetchBackup(source, fetched, environment, context, signal);
    const count = await writeAtomically(restored, (copy) => copySqlite(from.path, copy, signal));
    const { countTokens, findPendingNames } = await import('../store/sqlite/describe-sqlite.js');
    const pending = await findPendingNames(restored);
    const tokens = await countTokens(restored);
    const what = `${from.name} is complete and has ${countOf(count, 'plant')} and ${countOf(tokens, 'token')}`;
    const next = pending.length === 0 ? '' : ` Pending migrations: ${pending.join(', ')}.`;
    if (dryRun)
      return await context.message(
        `${what}.${next} Nothing was changed: without --dry-run it replaces ${path}${isNew ? ', which does not exist' : ', which is moved away'}.`,
      );
    await invalidateCursors({ database: { engine: 'sqlite', path: restored } });
    // As root it still belongs to the user of the service.
    const { uid, gid } = statSync(isNew ? dirname(path) : path);
    if (process.getuid?.() === 0) chownSync(restored, uid, gid);
    const kept = await moveAway(path);
    renameSync(restored, path);
    const { syncToDisk } = await import('../store/sqlite/database-files.js');
    syncToDisk(dirname(path));
    await context.message(
      `${what}, which are now in ${path}.${kept === undefined ? '' : ` What was there is in ${kept}.`}
Start the service. Revoke again the tokens that were revoked since the backup. Programs that follow changes get the error cursor_expired, and read everything again.`,
    );
  } finally {
    for (const file of temporary) rmSync(file, { force: true });
  }
}

/** Finds a backup on this machine, or downloads it. */
async function fetchBackup(
  source: string,
  fetched: string,
  environment: Readonly<Record<string, string | undefined>>,
  context: CliContext,
  signal: AbortSignal,
): Promise<{ readonly path: string; readonly name: string }> {
  if (source.startsWith('s3://')) {
    const { openBucket } = await import('./s3.js');
    const { bucket, prefix } = openBucket(source, environment, signal);
    const isFolder = prefix === '' || prefix.endsWith('/');
    const key = isFolder
      ? (await bucket.list(prefix)).filter((each) => isBackup(each.slice(prefix.length))).at(-1)
      : prefix;
    if (key === undefined) throw new OperatorError(`There is no backup in ${source}.`);
    await bucket.download(key, fetched);
    return { path: fetched, name: bucket.address + key };
  }
  const path = resolve(context.folder, source);
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) throw new OperatorError(`There is no backup ${path}.`);
  if (!stats.isDirectory()) return { path, name: path };
  const latest = listBackups(path).at(-1);
  if (latest === undefined) throw new OperatorError(`There is no backup in ${path}.`);
  return { path: join(path, latest), name: join(path, latest) };
}

/**
 * Moves a database that nobody has open, with its write-ahead log, to a name beside it; also a log alone, which would be applied to
 * another database.
 *
 * @returns the name; `undefined` where there was nothing
 * @throws {OperatorError} when a service or another program has it open
 */
async function moveAway(path: string): Promise<string | undefined> {
  const { isOpenElsewhere } = await import('../store/sqlite/connections.js');
  if (existsSync(path) && isOpenElsewhere(path))
    throw new OperatorError(
      `A service, or another program, has ${path} open. Stop it, and restore again. Nothing was changed.`,
    );
  // With milliseconds: a rename replaces what has the name.
  const kept = `${path}.before-restore-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  const present = ['', '-wal', '-shm'].filter((suffix) => existsSync(path + suffix));
  for (const suffix of present) renameSync(path + suffix, kept + suffix);
  return present.length === 0 ? undefined : kept;
}
