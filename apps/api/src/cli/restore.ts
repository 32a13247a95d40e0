import { createHash, randomBytes } from 'node:crypto';
import {
  accessSync,
  constants,
  createReadStream,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { copyFile, open } from 'node:fs/promises';
import { basename, dirname, extname, join, resolve } from 'node:path';
import type { Config } from '../config.js';
import { messageOf, OperatorError } from '../errors/operator-error.js';
import { operator } from '../runtime/operator.js';
import type { StoreDescription } from '../store/sqlite/describe-store.js';
import { writeAtomically } from './atomic-write.js';
import { countRecords } from './backup.js';
import { parseBackupName, readSha256, sortBackups, warnOfFuture } from './backup-files.js';
import { abortOnSignal, type CliContext, countOf, type JsonOption, reportOutcome } from './cli-context.js';
import { withDatabase } from './database.js';
import { explainUnreadable, quote } from './file-access.js';

export interface RestoreOptions extends JsonOption {
  /** A file or `s3://bucket/key`; or a folder or `s3://bucket/prefix/`, whose latest backup is used. */
  readonly source: string;
  readonly dryRun?: boolean;
  /** Accept another store's backup. The restored store gets the ID of the store that it replaces, or a new ID. */
  readonly fromOtherStore?: boolean;
  /** Keep indexes, triggers, views, and tables that no migration creates. */
  readonly keepAdditions?: boolean;
}

/**
 * Checks a backup, and replaces a SQLite database with it. The old database is renamed in the same folder, never deleted.
 *
 * @throws {OperatorError} if the backup is incomplete or from another store, or if a service has the database open. Nothing is changed then
 */
export async function restore(
  { database }: Config,
  { source, dryRun = false, fromOtherStore = false, keepAdditions = false, json }: RestoreOptions,
  environment: Readonly<Record<string, string | undefined>>,
  context: CliContext,
): Promise<void> {
  if (database.engine !== 'sqlite')
    throw new OperatorError(
      "This command restores only SQLite databases. For PostgreSQL, use the tool that matches the backup, such as pg_basebackup or pg_restore, or use your provider's restore feature.",
    );
  const { path } = database;
  const signal = abortOnSignal(context);
  const { checkCopy, describeSqlite } = await import('../store/sqlite/copy-sqlite.js');
  const isNew = !existsSync(path);
  const replaced: ReplacedStore | undefined = isNew
    ? undefined
    : await describeSqlite(path, 'It cannot be read', signal).catch((error: unknown) => {
        // A damaged database is a common reason to restore.
        if (error instanceof OperatorError) return { storeId: undefined, problem: error.message };
        throw error;
      });
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const restored = `${path}.restored`;
  const removeCopy = () => {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(restored + suffix, { force: true });
  };
  removeCopy();
  try {
    const criteria = { storeId: replaced?.storeId, fromOtherStore };
    const backup = await findBackup(source, criteria, environment, context, signal);
    // If root runs this command, the file must still belong to the service's user.
    const owner = process.geteuid?.() === 0 ? statSync(isNew ? dirname(path) : path) : undefined;
    const { isVerified, time } = await writeAtomically(
      restored,
      (temporaryPath) => fetchBackup(backup, temporaryPath),
      owner,
    );
    if (backup.log !== undefined) await copyFile(backup.log, `${restored}-wal`, constants.COPYFILE_EXCL);
    const copy = await checkCopy(
      restored,
      (found) => {
        requireSchema(found, backup.name, keepAdditions);
        if (!fromOtherStore) requireStore(found, backup.name, path, replaced);
      },
      `The backup ${backup.name} cannot be used`,
      signal,
    );
    const { storeId: backupOf, records, tokens, pending } = copy;
    const found = {
      backup: backup.name,
      madeAt: time.toISOString(),
      verified: isVerified,
      storeId: backupOf,
      ...records,
      tokens,
      pendingMigrations: pending,
      database: path,
    };
    const madeBy = backupOf === undefined ? '' : ` from store ${backupOf}`;
    const what = `${backup.name}, made ${toMinute(time)}${madeBy}, is complete and contains ${countRecords(records)} and ${countOf(tokens, 'token')}`;
    const caveats = [
      isVerified
        ? 'Its SHA-256 checksum is correct.'
        : 'It has no SHA-256 checksum, so changes since it was made may go unnoticed.',
      ...(replaced?.problem === undefined
        ? []
        : [
            `Could not determine whether ${path} is the same store. ${replaced.problem.replace(/\.?$/, '.')}`,
          ]),
    ].join(' ');
    if (dryRun) {
      const next = pending.length === 0 ? '' : ` Pending migrations: ${pending.join(', ')}.`;
      const outcome = isNew ? 'which does not exist yet' : 'and the current database is renamed';
      return await reportOutcome(
        context,
        { json },
        { restored: false, ...found },
        `${what}. ${caveats}${next} Nothing was changed. Without --dry-run, the backup is restored to ${path}, ${outcome}.`,
      );
    }
    const incomplete = (problem: string) =>
      new OperatorError(
        `The copy ${restored} cannot be completed: ${problem}. Nothing was changed. Free up space on the disk, and restore again.`,
      );
    const restoredFrom = {
      name: basename(backup.name),
      madeAt: time.toISOString(),
      ...(backupOf !== undefined && { storeId: backupOf }),
    };
    await withDatabase(
      { database: { engine: 'sqlite', path: restored } },
      { mustExist: true },
      async (opened) => {
        await opened.invalidateCursors();
        const entry = { at: Date.now(), by: operator(), action: 'restored' } as const;
        await opened.audit.add({ ...entry, about: { backup: restoredFrom } });
      },
    ).catch((error: unknown) => {
      // A migration may rewrite a table, which needs space.
      throw error instanceof OperatorError ? incomplete(error.message.split('\n')[0] ?? '') : error;
    });
    const { replaceStoreId } = await import('../store/sqlite/describe-store.js');
    const storeId = fromOtherStore ? (replaced?.storeId ?? randomBytes(8).toString('hex')) : backupOf;
    const hasNewId = storeId !== undefined && storeId !== backupOf;
    if (hasNewId) replaceStoreId(restored, storeId);
    // SQLite leaves the log in place, without an error, if it cannot write all of it to the database, for example on a full disk.
    if (existsSync(`${restored}-wal`)) throw incomplete('its write-ahead log was left behind');
    const kept = await moveAway(path);
    renameSync(restored, path);
    const { syncToDisk } = await import('../store/sqlite/database-files.js');
    syncToDisk(dirname(path));
    await reportOutcome(
      context,
      { json },
      { restored: true, ...found, storeId, kept },
      `${what}. It was restored to ${path}. ${caveats}${hasNewId ? ` The store ID is now ${storeId}.` : ''}${kept === undefined ? '' : ` The previous database was moved to ${kept}.`}
Start the service. If any tokens were revoked after the backup was made, revoke them again. Programs that follow changes get the error cursor_expired and read everything again.`,
    );
  } finally {
    removeCopy();
  }
}

const toMinute = (time: Date) => `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;

/** The store to be replaced: its ID, or why its ID is unknown. */
interface ReplacedStore {
  readonly storeId: string | undefined;
  readonly problem?: string;
}

function requireStore(
  { storeId }: StoreDescription,
  name: string,
  path: string,
  replaced: ReplacedStore | undefined,
): void {
  if (replaced === undefined || replaced.problem !== undefined || storeId === replaced.storeId) return;
  const made = storeId === undefined ? 'was made before its store had an ID' : `is from store ${storeId}`;
  const current = replaced.storeId === undefined ? 'has no ID yet' : `is store ${replaced.storeId}`;
  throw new OperatorError(
    `${name} ${made}, but ${path} ${current}. Nothing was changed.
If the records and tokens in the backup should replace the ones in ${path}, restore again with --from-other-store.`,
  );
}

function requireSchema(
  { deviations, additions }: StoreDescription,
  name: string,
  keepAdditions: boolean,
): void {
  if (deviations.length > 0)
    throw new OperatorError(
      `${name} differs from the schema that the migrations create. Missing or changed: ${deviations.join(', ')}. Nothing was changed. Use another backup.`,
    );
  if (additions.length > 0 && !keepAdditions)
    throw new OperatorError(
      `${name} contains schema objects that no migration creates: ${additions.join(', ')}. Nothing was changed.
If you or a colleague added them, restore again with --keep-additions. Otherwise, someone has tampered with the backup or the store. Use another backup, because a trigger can add tokens and change records.`,
    );
}

interface Backup {
  /** The backup's path or address. */
  readonly name: string;
  /**
   * Streams the backup's bytes. SQLite never opens the backup itself, because that could change it.
   *
   * @returns the expected SHA-256 (`undefined` if unknown), and when the backup was made
   */
  read(
    write: (chunk: Uint8Array) => unknown,
  ): Promise<{ readonly sha256: string | undefined; readonly time: Date }>;
  /** The write-ahead log next to the backup, if it is a plain copy of a database file. */
  readonly log?: string;
}

/** The ID of the store to be replaced, and whether another store's backup is accepted. */
interface BackupCriteria {
  readonly storeId: string | undefined;
  readonly fromOtherStore: boolean;
}

async function findBackup(
  source: string,
  criteria: BackupCriteria,
  environment: Readonly<Record<string, string | undefined>>,
  context: CliContext,
  signal: AbortSignal,
): Promise<Backup> {
  if (source.startsWith('s3://')) {
    const { openBucket } = await import('./s3.js');
    const { bucket, prefix } = openBucket(source, environment, signal);
    const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1);
    const list = async () => (await bucket.list(folder)).map((key) => key.slice(folder.length));
    const name =
      prefix === folder
        ? await findLatest(await list(), source, criteria, context)
        : prefix.slice(folder.length);
    return {
      name: `${bucket.address}${folder}${name}`,
      async read(write) {
        const { sha256, modifiedAt } = await bucket.download(folder + name, write);
        return { sha256, time: parseBackupName(name)?.time ?? modifiedAt };
      },
    };
  }
  const path = resolve(context.folder, source);
  try {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) throw new OperatorError(`There is no backup at ${path}.`);
    if (!stats.isDirectory()) return await openFile(path, signal);
    const latest = await findLatest(readdirSync(path), path, criteria, context);
    return await openFile(join(path, latest), signal);
  } catch (cause) {
    if (cause instanceof OperatorError || signal.aborted) throw cause;
    const files = extname(path) === '' ? `${quote(path)}/plant-store-*` : `${quote(path)}*`;
    throw new OperatorError(
      `The backup ${path} cannot be read: ${messageOf(cause)}${explainUnreadable(cause, files, context.folder)}`,
      { cause },
    );
  }
}

async function openFile(path: string, signal: AbortSignal): Promise<Backup> {
  accessSync(path, constants.R_OK);
  const stats = statSync(path);
  if (!stats.isFile()) throw new OperatorError(`${path} is not a file.`);
  const sha256 = await readSha256(path);
  const has = (suffix: string) => sha256 === undefined && existsSync(path + suffix);
  // A journal could name other files, which SQLite would delete.
  if (has('-journal'))
    throw new OperatorError(
      `There is a rollback journal next to ${path}, so the file is not a complete backup. Use a backup made with plant-store backup.`,
    );
  return {
    name: path,
    ...(has('-wal') && { log: `${path}-wal` }),
    async read(write) {
      for await (const chunk of createReadStream(path)) {
        signal.throwIfAborted();
        await write(chunk);
      }
      return { sha256, time: parseBackupName(basename(path))?.time ?? stats.mtime };
    },
  };
}

/**
 * Returns the latest backup of the store to be replaced. If there is none, or if another store's backup is requested, returns the latest
 * backup of the other store.
 *
 * @throws {OperatorError} if there is no backup, or if there are backups of several other stores
 */
async function findLatest(
  names: readonly string[],
  source: string,
  { storeId, fromOtherStore }: BackupCriteria,
  context: CliContext,
): Promise<string> {
  const now = new Date();
  const { backups, future } = sortBackups(names, now);
  if (future.length > 0) await context.message(warnOfFuture(future, now));
  const ofStore = backups.filter((backup) => storeId !== undefined && backup.storeId === storeId);
  const ofOthers = backups.filter((backup) => !ofStore.includes(backup));
  const candidates = ofStore.length > 0 && !fromOtherStore ? ofStore : ofOthers;
  const stores = [...new Set(candidates.map((backup) => backup.storeId ?? 'no ID in the name'))];
  if (stores.length > 1)
    throw new OperatorError(
      `${source} contains backups of several stores: ${stores.join(', ')}. Nothing was changed. Specify a backup file instead of the folder.`,
    );
  const latest = candidates.at(-1);
  if (latest !== undefined) return latest.name;
  throw new OperatorError(
    future.length === 0
      ? `There is no backup in ${source}.`
      : `All backups in ${source} are dated in the future. To restore one of them, specify its file.`,
  );
}

/** Writes a backup into an empty file, and compares its SHA-256 if the expected one is known. */
async function fetchBackup(
  backup: Backup,
  path: string,
): Promise<{ readonly isVerified: boolean; readonly time: Date }> {
  const hash = createHash('sha256');
  // The owner of the folder could replace the file with a symbolic link to a file that only root may write.
  const file = await open(path, constants.O_WRONLY | constants.O_NOFOLLOW);
  try {
    const { sha256, time } = await backup.read(async (chunk) => {
      hash.update(chunk);
      await file.writeFile(chunk);
    });
    const found = hash.digest('hex');
    if (sha256 !== undefined && sha256 !== found)
      throw new OperatorError(
        `${backup.name} has changed since it was made: its SHA-256 checksum should be ${sha256}, but it is ${found}. Nothing was changed. Use another backup.`,
      );
    return { isVerified: sha256 !== undefined, time };
  } finally {
    await file.close();
  }
}

/**
 * Renames a database that no process has open, with its write-ahead log. Also renames a log without a database, because SQLite would apply
 * it to the restored database.
 *
 * @returns the new name; `undefined` if there was nothing to rename
 * @throws {OperatorError} if a service or another program has the database open
 */
async function moveAway(path: string): Promise<string | undefined> {
  const { tryTakeExclusive } = await import('../store/sqlite/connections.js');
  if (existsSync(path) && !tryTakeExclusive(path))
    throw new OperatorError(
      `A service or another program has ${path} open. Nothing was changed. Stop that program, then retry the restore.`,
    );
  // Includes milliseconds, because a rename would overwrite a file of the same name.
  const kept = `${path}.before-restore-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
  const present = ['', '-wal', '-shm'].filter((suffix) => existsSync(path + suffix));
  for (const suffix of present) renameSync(path + suffix, kept + suffix);
  return present.length === 0 ? undefined : kept;
}
