import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Resource } from '@plant-store/contract/resource';
import { resources } from '@plant-store/contract/resources';
import type { Config } from '../config.js';
import { messageOf, OperatorError } from '../errors/operator-error.js';
import type { SqliteLocation } from '../store/database-location.js';
import type { CheckedCopy } from '../store/sqlite/copy-sqlite.js';
import { writeAtomically } from './atomic-write.js';
import {
  hashFile,
  nameBackup,
  sha256PathOf,
  sortBackups,
  warnOfFuture,
  writeSha256,
} from './backup-files.js';
import { abortOnSignal, type CliContext, countOf, type JsonOption, reportOutcome } from './cli-context.js';
import { explainUnwritable } from './file-access.js';

export interface BackupOptions extends JsonOption {
  /** A new file, a folder, or `s3://bucket/prefix`; by default `BACKUP_TO`, or the folder `backups` next to the database. */
  readonly target: string | undefined;
  /** How many of this store's backups to keep, including the new one; 0 for all. Only backups with a time in their name count. */
  readonly keep?: number;
}

/**
 * Copies a SQLite database while services use it, checks the copy, and then, if requested, removes older backups of this store.
 *
 * @throws {OperatorError} if the engine has its own backup tool, there is no database, or the database cannot be copied. Nothing is removed
 * then
 */
export async function backUp(
  { database, backupTo, backupKeep }: Config,
  { target: named, keep = named === undefined ? backupKeep : 0, json }: BackupOptions,
  environment: Readonly<Record<string, string | undefined>>,
  context: CliContext,
): Promise<void> {
  if (database.engine !== 'sqlite')
    throw new OperatorError(
      "This command copies only SQLite databases. For PostgreSQL, use pg_basebackup, pg_dump, or your provider's backups.",
    );
  const { requireDatabaseFile } = await import('../store/sqlite/database-files.js');
  requireDatabaseFile(database.path);
  const destination = named ?? backupTo;
  const signal = abortOnSignal(context);
  const target =
    destination?.startsWith('s3://') === true
      ? await openS3(destination, database, environment, signal)
      : openFolder(destination, database, context, signal);
  if (keep > 0 && target.names === undefined)
    throw new OperatorError('--keep and BACKUP_KEEP need a folder or s3://bucket/prefix, not a file.', {
      exitCode: 2,
    });
  const { copySqlite, describeSqlite } = await import('../store/sqlite/copy-sqlite.js');
  const { path } = database;
  // If the target is a file, the user chose its name, so no store ID is needed.
  const storeId =
    target.names && (await describeSqlite(path, `The database ${path} cannot be copied`, signal)).storeId;
  const name = await findUnusedName(storeId, target, signal);
  const { copy, location, sha256 } = await target.store(name, (copyPath) =>
    copySqlite(path, copyPath, signal),
  );
  const { noteBackup } = await import('../store/sqlite/database-files.js');
  noteBackup(path);
  await reportOutcome(
    context,
    { json },
    { backup: location, sha256, storeId: copy.storeId, ...copy.records, tokens: copy.tokens },
    `Copied ${countRecords(copy.records)} to ${location}, and checked the copy.`,
  );
  await warnOfSchema(copy, context);
  if (keep > 0) await removeOld(target, name, storeId, keep, context);
}

/**
 * Describes how many records there are of each resource.
 *
 * @param records the number of records by table name
 */
export function countRecords(records: Readonly<Record<string, number>>): string {
  return Object.values<Resource>(resources)
    .map(({ name, plural }) => countOf(records[plural] ?? 0, name, plural))
    .join(', ');
}

/** Returns an unused backup name. Names contain the time in seconds, so this may wait for the next second. */
async function findUnusedName(
  storeId: string | undefined,
  target: BackupTarget,
  signal: AbortSignal,
): Promise<string> {
  for (;;) {
    const name = nameBackup(storeId, new Date());
    if (!(await target.has(name))) return name;
    await sleep(100, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** Warns about schema differences that `restore` will reject. */
async function warnOfSchema({ deviations, additions }: CheckedCopy, context: CliContext): Promise<void> {
  if (deviations.length > 0)
    await context.message(
      `Warning: restore will reject this backup, because the database differs from the schema that the migrations create. Missing or changed: ${deviations.join(', ')}.`,
    );
  if (additions.length > 0)
    await context.message(
      `Warning: the backup contains schema objects that no migration creates: ${additions.join(', ')}. If you did not add them, find out who did. To restore this backup, you will need --keep-additions.`,
    );
}

/** Removes all but the latest backups of this store. The new backup always stays, even if the time in another name is later. */
async function removeOld(
  target: BackupTarget,
  name: string,
  storeId: string | undefined,
  keep: number,
  context: CliContext,
): Promise<void> {
  const names = (await target.names?.()) ?? [];
  const now = new Date();
  const { backups, future } = sortBackups(names, now);
  const others = backups.filter((backup) => backup.name !== name);
  const ofStore = others.filter((backup) => storeId !== undefined && backup.storeId === storeId);
  const old = ofStore.slice(0, Math.max(0, ofStore.length - keep + 1)).map((backup) => backup.name);
  for (const oldName of old) await target.remove(oldName);
  if (old.length > 0)
    await context.message(`Removed ${countOf(old.length, 'older backup')}: ${old.join(', ')}.`);
  const otherFuture = future.filter((other) => other !== name);
  if (otherFuture.length > 0) await context.message(warnOfFuture(otherFuture, now));
  const withoutId = others.filter((backup) => backup.storeId === undefined);
  if (storeId === undefined)
    await context.message(
      'No older backups were removed, because this database does not get an ID until the service next starts. From then on, --keep removes older backups with that ID in their names.',
    );
  else if (withoutId.length > 0)
    await context.message(
      `Kept ${countOf(withoutId.length, 'backup')} with no store ID in the name, because they can be from any store. Delete them yourself when you no longer need them.`,
    );
}

/** Where backups are stored: a file, a folder, or S3. */
interface BackupTarget {
  /** Stores the copy that `fill` writes into an empty file, completely and with its SHA-256, or not at all. */
  store(
    name: string,
    fill: (path: string) => Promise<CheckedCopy>,
  ): Promise<{ readonly copy: CheckedCopy; readonly location: string; readonly sha256: string }>;
  /** Whether a backup with this name exists, or is being made. */
  has(name: string): boolean | Promise<boolean>;
  /** Returns the names of all files or objects in the target; `undefined` if the target is a file. */
  readonly names: (() => readonly string[] | Promise<readonly string[]>) | undefined;
  remove(name: string): void | Promise<void>;
}

function openFolder(
  destination: string | undefined,
  { path: database }: SqliteLocation,
  context: CliContext,
  signal: AbortSignal,
): BackupTarget {
  const path =
    destination === undefined ? join(dirname(database), 'backups') : resolve(context.folder, destination);
  let isFolder: boolean;
  try {
    isFolder =
      destination === undefined ||
      destination.endsWith('/') ||
      statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
    if (isFolder) mkdirSync(path, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new OperatorError(
      `The backup ${path} cannot be written: ${messageOf(cause)}. Choose a location that this user can write to, or set BACKUP_TO.${explainUnwritable(cause, path)}`,
      { cause },
    );
  }
  const fileOf = (name: string) => (isFolder ? join(path, name) : path);
  return {
    async store(name, fill) {
      const file = fileOf(name);
      let hasHash = false;
      try {
        return await writeAtomically(file, async (temporaryPath) => {
          const copy = await fill(temporaryPath);
          const sha256 = await hashFile(temporaryPath, signal);
          // Written before the backup gets its name, so that no backup exists without its SHA-256. If the target is a named file, an
          // existing SHA-256 belongs to a backup that was removed or never completed; in a folder, it may belong to another running
          // command.
          if (!isFolder && !existsSync(file)) rmSync(sha256PathOf(file), { force: true });
          await writeSha256(file, sha256);
          hasHash = true;
          return { copy, location: file, sha256 };
        });
      } catch (error) {
        if (hasHash) rmSync(sha256PathOf(file), { force: true });
        throw error;
      }
    },
    has: (name) => isFolder && [fileOf(name), sha256PathOf(fileOf(name))].some((file) => existsSync(file)),
    names: isFolder ? () => readdirSync(path) : undefined,
    remove(name) {
      // The backup is removed first, because a SHA-256 without its backup does no harm.
      rmSync(fileOf(name), { force: true });
      rmSync(sha256PathOf(fileOf(name)), { force: true });
    },
  };
}

async function openS3(
  destination: string,
  { path: database }: SqliteLocation,
  environment: Readonly<Record<string, string | undefined>>,
  signal: AbortSignal,
): Promise<BackupTarget> {
  const { openBucket } = await import('./s3.js');
  const { bucket, prefix } = openBucket(destination, environment, signal);
  const folder = prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`;
  return {
    async store(name, fill) {
      // The copy is checked before it is uploaded, so it needs space next to the database until the upload ends. The name is unique to this
      // command.
      const path = join(dirname(database), `.${name}.to-send`);
      const file = await open(path, 'wx', 0o600).catch((cause: Error) => {
        throw new OperatorError(
          `The temporary copy for the upload cannot be written: ${cause.message}${explainUnwritable(cause, dirname(path))}`,
          { cause },
        );
      });
      await file.close();
      try {
        const copy = await fill(path);
        const sha256 = await hashFile(path, signal);
        await bucket.upload(path, folder + name, sha256);
        return { copy, location: `${bucket.address}${folder}${name}`, sha256 };
      } finally {
        rmSync(path, { force: true });
      }
    },
    has: (name) => existsSync(join(dirname(database), `.${name}.to-send`)) || bucket.has(folder + name),
    names: async () => (await bucket.list(folder)).map((key) => key.slice(folder.length)),
    remove: (name) => bucket.remove(folder + name),
  };
}
