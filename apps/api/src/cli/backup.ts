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
  /** A new file, a folder, or `s3://bucket/prefix`; by default `BACKUP_TO`, or the folder `backups` beside the database. */
  readonly target: string | undefined;
  /** How many backups of this store with a time in their name are kept, including the new one; 0 for all. */
  readonly keep?: number;
}

/**
 * Copies a SQLite database while services use it, checks the copy, and then removes older ones of this store, if requested.
 *
 * @throws {OperatorError} when the engine has its own backup tool, there is no database, or it cannot be copied; nothing is removed then
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
  const target = named ?? backupTo;
  const signal = abortOnSignal(context);
  const place =
    target?.startsWith('s3://') === true
      ? await openS3(target, database, environment, signal)
      : openFolder(target, database, context, signal);
  if (keep > 0 && place.names === undefined)
    throw new OperatorError('--keep and BACKUP_KEEP need a folder or s3://bucket/prefix, not a file.', {
      exitCode: 2,
    });
  const { copySqlite, describeSqlite } = await import('../store/sqlite/copy-sqlite.js');
  const { path } = database;
  // A file that was named has no id in its name.
  const storeId =
    place.names && (await describeSqlite(path, `The database ${path} cannot be copied`, signal)).storeId;
  const name = await findFreeName(storeId, place, signal);
  const { copy, at, sha256 } = await place.store(name, (copyPath) => copySqlite(path, copyPath, signal));
  const { noteBackup } = await import('../store/sqlite/database-files.js');
  noteBackup(path);
  await reportOutcome(
    context,
    { json },
    { backup: at, sha256, storeId: copy.storeId, ...copy.records, tokens: copy.tokens },
    `Copied ${countRecords(copy.records)} to ${at}, and checked the copy.`,
  );
  await warnOfSchema(copy, context);
  if (keep > 0) await removeOld(place, name, storeId, keep, context);
}

/** How many records there are of each resource, by the names of their tables. */
export function countRecords(records: Readonly<Record<string, number>>): string {
  return Object.values<Resource>(resources)
    .map(({ name, plural }) => countOf(records[plural] ?? 0, name, plural))
    .join(', ');
}

/** A name that no other backup has: names differ by the second. */
async function findFreeName(storeId: string | undefined, place: Place, signal: AbortSignal): Promise<string> {
  for (;;) {
    const name = nameBackup(storeId, new Date());
    if (!(await place.has(name))) return name;
    await sleep(100, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}

/** Warns now of what `restore` will reject. */
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

/** Removes all but the latest backups of this store. The new one always stays, even if the time in another name is later. */
async function removeOld(
  place: Place,
  name: string,
  storeId: string | undefined,
  keep: number,
  context: CliContext,
): Promise<void> {
  const names = (await place.names?.()) ?? [];
  const now = new Date();
  const { backups, future } = sortBackups(names, now);
  const others = backups.filter((backup) => backup.name !== name);
  const ofStore = others.filter((backup) => storeId !== undefined && backup.storeId === storeId);
  const old = ofStore.slice(0, Math.max(0, ofStore.length - keep + 1)).map((backup) => backup.name);
  for (const each of old) await place.remove(each);
  if (old.length > 0)
    await context.message(`Removed ${countOf(old.length, 'older backup')}: ${old.join(', ')}.`);
  const otherFuture = future.filter((each) => each !== name);
  if (otherFuture.length > 0) await context.message(warnOfFuture(otherFuture, now));
  const withoutId = others.filter((backup) => backup.storeId === undefined);
  if (storeId === undefined)
    await context.message(
      'No older backups were removed, because this database does not get an ID until the service next starts. From then on, --keep removes older backups with that ID in their names.',
    );
  else if (withoutId.length > 0)
    await context.message(
      `Kept ${countOf(withoutId.length, 'backup')} with no store ID in the name, because it is unknown which store made them. Remove them yourself when you no longer need them.`,
    );
}

interface Place {
  /** Stores what `fill` writes into an empty file, completely and with its SHA-256, or not at all. */
  store(
    name: string,
    fill: (path: string) => Promise<CheckedCopy>,
  ): Promise<{ readonly copy: CheckedCopy; readonly at: string; readonly sha256: string }>;
  /** Whether a backup has the name, or is getting it. */
  has(name: string): boolean | Promise<boolean>;
  /** What is there; `undefined` where a file was named. */
  readonly names: (() => readonly string[] | Promise<readonly string[]>) | undefined;
  remove(name: string): void | Promise<void>;
}

function openFolder(
  target: string | undefined,
  { path: database }: SqliteLocation,
  context: CliContext,
  signal: AbortSignal,
): Place {
  const path = target === undefined ? join(dirname(database), 'backups') : resolve(context.folder, target);
  let isFolder: boolean;
  try {
    isFolder =
      target === undefined ||
      target.endsWith('/') ||
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
          return { copy, at: file, sha256 };
        });
      } catch (error) {
        if (hasHash) rmSync(sha256PathOf(file), { force: true });
        throw error;
      }
    },
    has: (name) => isFolder && [fileOf(name), sha256PathOf(fileOf(name))].some((file) => existsSync(file)),
    names: isFolder ? () => readdirSync(path) : undefined,
    remove(name) {
      // A SHA-256 without its backup does no harm.
      rmSync(fileOf(name), { force: true });
      rmSync(sha256PathOf(fileOf(name)), { force: true });
    },
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
      // The copy is checked before it is sent, and until then needs space next to the database. The name is unique for each command.
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
        return { copy, at: `${bucket.address}${folder}${name}`, sha256 };
      } finally {
        rmSync(path, { force: true });
      }
    },
    has: (name) => existsSync(join(dirname(database), `.${name}.to-send`)) || bucket.has(folder + name),
    names: async () => (await bucket.list(folder)).map((key) => key.slice(folder.length)),
    remove: (name) => bucket.remove(folder + name),
  };
}
