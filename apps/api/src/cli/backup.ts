import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Config } from '../config.js';
import { OperatorError } from '../errors/operator-error.js';
import type { SqliteLocation } from '../store/database-location.js';
import { writeAtomically } from './atomic-write.js';
import { abortOnSignal, type CliContext, countOf } from './cli-context.js';

export interface BackupOptions {
  /** A new file, a folder, or `s3://bucket/prefix`; by default `BACKUP_TO`, or the folder `backups` beside the database. */
  readonly target: string | undefined;
  /** How many backups with a name by their time are kept, the new one among them; 0 for all. */
  readonly keep?: number;
}

/**
 * Copies a SQLite database while services use it, checks the copy, and then removes older ones, if that is asked for.
 *
 * @param environment has the credentials for S3
 * @throws {OperatorError} when the engine has its own tool for that, there is no database, or it cannot be copied; nothing is removed
 * then
 */
export async function backUp(
  { database, backupTo, backupKeep }: Config,
  { target: named, keep = named === undefined ? backupKeep : 0 }: BackupOptions,
  environment: Readonly<Record<string, string | undefined>>,
  context: CliContext,
): Promise<void> {
  if (database.engine !== 'sqlite')
    throw new OperatorError(
      'Only a SQLite database is copied by this command. Use pg_basebackup, pg_dump, or what the provider has, for PostgreSQL.',
    );
  const { requireDatabaseFile } = await import('../store/sqlite/database-files.js');
  requireDatabaseFile(database.path);
  const target = named ?? backupTo;
  const signal = abortOnSignal(context);
  const name = nameOf(new Date());
  const place =
    target?.startsWith('s3://') === true
      ? await openS3(target, database, environment, signal)
      : await openFolder(target, database, name, context);
  if (keep > 0 && place.names === undefined)
    throw new OperatorError(
      'With --keep or BACKUP_KEEP give a folder or s3://bucket/prefix, and not a file.',
      {
        exitCode: 2,
      },
    );
  const { copySqlite } = await import('../store/sqlite/copy-sqlite.js');
  const { count, at } = await place.store(name, (path) => copySqlite(database.path, path, signal));
  const { noteBackup } = await import('../store/sqlite/last-backup.js');
  noteBackup(database.path);
  await context.message(`${countOf(count, 'plant')} copied to ${at}, and the copy checked.`);
  if (keep === 0 || place.names === undefined) return;
  const old = (await place.names()).filter(isBackup).toSorted().slice(0, -keep);
  for (const each of old) await place.remove(each);
  if (old.length > 0)
    await context.message(`${countOf(old.length, 'older backup')} removed: ${old.join(', ')}.`);
}

/** Where backups are kept. */
interface Place {
  /** Stores what `fill` writes into an empty file, completely or not at all. */
  store(
    name: string,
    fill: (path: string) => Promise<number>,
  ): Promise<{ readonly count: number; readonly at: string }>;
  /** What is there; `undefined` where a file was named. */
  readonly names: (() => readonly string[] | Promise<readonly string[]>) | undefined;
  remove(name: string): void | Promise<void>;
}

/** The name of a backup, which sorts by its time, in UTC. */
function nameOf(time: Date): string {
  return `plant-store-${time.toISOString().slice(0, 19).replaceAll(':', '-')}Z.db`;
}

export function isBackup(name: string): boolean {
  return /^plant-store-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.db$/.test(name);
}

/** The names of the backups of a folder, the oldest first. */
export function listBackups(folder: string): readonly string[] {
  return readdirSync(folder).filter(isBackup).toSorted();
}

async function openFolder(
  target: string | undefined,
  { path: database }: SqliteLocation,
  name: string,
  context: CliContext,
): Promise<Place> {
  const path = target === undefined ? join(dirname(database), 'backups') : resolve(context.folder, target);
  const isFolder =
    target === undefined || target.endsWith('/') || statSync(path, { throwIfNoEntry: false })?.isDirectory();
  const file = isFolder ? join(path, name) : path;
  if (isFolder) {
    await mkdir(path, { recursive: true, mode: 0o700 }).catch((cause: Error) => {
      throw new OperatorError(
        `The folder ${path} cannot be created: ${cause.message}. Name one that this user may write to, or set BACKUP_TO.`,
        { cause },
      );
    });
  }
  return {
    store: async (_, fill) => ({ count: await writeAtomically(file, fill), at: file }),
    names: isFolder ? () => listBackups(path) : undefined,
    remove: (each) => rmSync(join(path, each)),
  };
}

async function openS3(
  target: string,
  { path: database }: SqliteLocation,
  environment: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<Place> {
  const { openBucket } = await import('./s3.js');
  const { bucket, prefix } = openBucket(target, environment, signal);
  const folder = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
  return {
    async store(name, fill) {
      // The copy is checked before it is sent, and needs room beside the database for that long.
      const path = join(dirname(database), `.${name}.to-send`);
      if (existsSync(path)) rmSync(path);
      try {
        const count = await writeAtomically(path, fill);
        await bucket.upload(path, folder + name);
        return { count, at: `${bucket.address}${folder}${name}` };
      } finally {
        rmSync(path, { force: true });
      }
    },
    names: async () => (await bucket.list(folder)).map((key) => key.slice(folder.length)),
    remove: (name) => bucket.remove(folder + name),
  };
}
