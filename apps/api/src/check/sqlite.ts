import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { messageOf } from '../errors/operator-error.js';
import { docsPath } from '../package-folder.js';
import type { SqliteLocation } from '../store/database-location.js';
import { findPending, readMigrations } from '../store/migrations.js';
import { openConnection } from '../store/sqlite/connections.js';
import { readLastBackup } from '../store/sqlite/database-files.js';
import { explainFailure } from '../store/sqlite/errors.js';
import { ledgerOfSqlite } from '../store/sqlite/migrate-sqlite.js';
import { retryWhileBusy } from '../store/sqlite/transact.js';
import {
  describePending,
  type Finding,
  failure,
  inspect,
  medianTimeMs,
  ok,
  type Result,
  type Results,
  warning,
} from './finding.js';
import { assessTokens, selectTokens, type TokenContext } from './tokens.js';

/**
 * Examines a SQLite database and the folder that holds or will hold it, and yields each finding immediately. Opens the file as the service
 * does, so SQLite may merge a write-ahead log left by a crash.
 */
export async function* inspectSqlite(
  { path }: SqliteLocation,
  tokens: TokenContext,
): AsyncGenerator<Finding> {
  yield* inspectContent(path, tokens);
  const folder = findExistingFolder(dirname(path));
  yield* inspect('file access', () => inspectFileAccess(path, folder));
  yield* inspect('file system', () => assessFileSystem(statfsSync(folder).type, folder, process.platform));
  yield* inspect('disk space', () => inspectDiskSpace(path, folder));
  yield* inspect('sync time', () => inspectSyncTime(folder));
  yield* inspect('backup', () => inspectBackup(path));
}

/** Returns the folder, or its closest ancestor that exists. */
function findExistingFolder(folder: string): string {
  const parent = dirname(folder);
  return existsSync(folder) || parent === folder ? folder : findExistingFolder(parent);
}

async function* inspectContent(path: string, tokens: TokenContext): AsyncGenerator<Finding> {
  let connection: ReturnType<typeof openConnection> | undefined;
  try {
    // SQLite would create a missing file, and an empty file has no tables yet.
    if (!statSync(path, { throwIfNoEntry: false })?.size) return yield describeMissing(path);
    // The query fails if the file is locked, damaged, or not a database.
    connection = await retryWhileBusy(
      () => openConnection(path, 'SELECT name FROM sqlite_schema LIMIT 1'),
      busyTimeoutMs,
    );
    const opened = connection;
    yield { item: 'database', ...ok(`SQLite file ${path}`) };
    let areApplied = false;
    yield* inspect('migrations', async () => {
      const pending = await findPending(ledgerOfSqlite(opened), readMigrations('sqlite'));
      areApplied = pending.length === 0;
      return describePending(pending);
    });
    if (areApplied)
      yield* inspect('access tokens', () => {
        const rows = opened.prepare<[], unknown[]>(selectTokens).raw().all();
        const all = rows.map(([id, name, scopes, expiresAt]) => ({
          id: Number(id),
          name: String(name),
          scopes: String(scopes),
          expiresAt: expiresAt === null ? null : new Date(String(expiresAt)),
        }));
        return assessTokens(all, tokens);
      });
  } catch (error) {
    yield { item: 'database', ...failure(explainFailure(error, path)) };
  } finally {
    connection?.close();
  }
}

function describeMissing(path: string): Finding {
  const found = `${path} does not exist yet`;
  const advice = `The serve and migrate commands create it. If the file was deleted or moved, do not start the service: see ${docsPath('docs/operate/troubleshooting.md')}. If the file is elsewhere, set DATABASE_URL.`;
  return { item: 'database', ...warning(found, advice) };
}

/** How long to wait for another process that has locked the file, in milliseconds, as in the service. */
const busyTimeoutMs = 1_000;

const groupAndOthers = 0o077;
/** Lets every user create and remove files in a folder, unless the folder is sticky. */
const othersWrite = 0o002;
const sticky = 0o1000;

/** Checks who can read and write the database files, which contain records and token hashes. */
function inspectFileAccess(path: string, folder: string): Results {
  const user = process.getuid?.();
  const files = [path, `${path}-wal`, `${path}-shm`].flatMap((file) => {
    const stats = statSync(file, { throwIfNoEntry: false });
    // Skips folders and devices that DATABASE_URL names by mistake, so that no advice says to change their mode.
    return stats?.isFile() ? [{ file, mode: stats.mode, uid: stats.uid }] : [];
  });
  const problems: Result[] = [];
  for (const { file, mode, uid } of files) {
    if ((mode & groupAndOthers) !== 0)
      problems.push(
        warning(
          `other users can access ${file}, which contains token hashes and has mode ${(mode & 0o777).toString(8).padStart(4, '0')}`,
          `Restrict it to its owner: chmod 600 ${file}`,
        ),
      );
    if (user !== undefined && user !== uid)
      problems.push(
        warning(
          `${file} is owned by uid ${uid}, but this command runs as uid ${user}`,
          'Run every command as the service user, which owns the files.',
        ),
      );
  }
  const { mode } = statSync(folder);
  if ((mode & othersWrite) !== 0 && (mode & sticky) === 0)
    problems.push(
      failure(
        `every user can replace the files in ${folder}`,
        `Restrict write access to the folder's owner: chmod go-w ${folder}`,
      ),
    );
  if (problems.length > 0) return problems;
  return ok(files.length === 0 ? 'there are no files yet' : 'only this user can access the files');
}

/** Network file systems, by their type numbers on Linux (statfs(2), linux/magic.h). */
const networkTypes: Readonly<Record<number, string>> = {
  26985: 'NFS',
  20859: 'SMB',
  4266872130: 'SMB',
  4283649346: 'SMB',
  16914839: '9P',
  12805120: 'CephFS',
  198183888: 'Lustre',
  1397113167: 'AFS',
  1952539503: 'OCFS2',
  18225520: 'GFS2',
};
const fuse = 0x65735546;
const overlay = 0x794c7630;
/** In-memory file systems: tmpfs and ramfs. */
const memoryTypes: readonly number[] = [0x01021994, 0x858458f6];

/** @param type the file system's type number, as `statfs` returns it */
export function assessFileSystem(type: number, folder: string, platform: NodeJS.Platform): Result {
  if (platform !== 'linux') return ok(`not checked for ${folder}: this check works only on Linux`);
  const moveIt = 'Set DATABASE_URL to a file on a local disk.';
  const network = networkTypes[type];
  if (network !== undefined)
    return failure(
      `${folder} is on ${network}, where SQLite's write-ahead log does not work and can damage the database`,
      moveIt,
    );
  if (memoryTypes.includes(type))
    return warning(`${folder} is in memory: restarting the machine erases all records`, moveIt);
  if (type === overlay)
    return warning(
      `${folder} is in a container's writable layer: removing the container erases all records`,
      'Mount a volume there, or set DATABASE_URL to a file on a volume.',
    );
  if (type === fuse)
    return warning(
      `${folder} is on a FUSE file system, which may be network storage`,
      'If it is network storage, set DATABASE_URL to a file on a local disk.',
    );
  return ok(`${folder} is on a local disk (type 0x${type.toString(16)})`);
}

/** The minimum free space, in bytes. With less, the write-ahead log, which can grow to 128 MB, could fill the disk. */
const minFreeBytes = 256 * 2 ** 20;

function inspectDiskSpace(path: string, folder: string): Results {
  const { bavail, bsize } = statfsSync(folder);
  const sizeOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  return assessDiskSpace({ free: bavail * bsize, database: sizeOf(path) + sizeOf(`${path}-wal`) });
}

/** The maximum age of the last backup, in milliseconds: two days. */
const maxBackupAgeMs = 172_800_000;

function inspectBackup(path: string): Result {
  const last = readLastBackup(path);
  const advice = `Run plant-store backup every night, for example with plant-store-backup.timer, as ${docsPath('docs/operate/backup.md')} describes.`;
  if (last === undefined) return warning('plant-store backup has not run yet', advice);
  const time = `${new Date(last).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
  if (last > Date.now())
    return warning(
      `the last backup is dated ${time}, which is in the future`,
      "Correct this machine's clock, and then run plant-store backup.",
    );
  const made = `the last backup was made at ${time}`;
  return Date.now() - last > maxBackupAgeMs ? warning(made, advice) : ok(made);
}

export function assessDiskSpace(bytes: { readonly free: number; readonly database: number }): Result {
  const toMegabytes = (count: number) => Math.round(count / 1e6);
  const found = `${toMegabytes(bytes.free)} MB free, and the database takes up ${toMegabytes(bytes.database)} MB`;
  if (bytes.free < minFreeBytes)
    return failure(
      `${found}: if the disk fills up, no records can be stored`,
      'Free up space, or move the database to a larger disk.',
    );
  if (bytes.free < bytes.database)
    return warning(
      `${found}: a backup on the same disk would not fit`,
      'Back up to another disk, and plan to move to a larger disk.',
    );
  return ok(found);
}

/** The median sync time above which a disk counts as slow, in milliseconds. A hard disk takes about this long, and an SSD a tenth of it. */
const slowMs = 10;

/** Measures how long a small write takes to reach the disk, as in each commit. Removes its test file. */
async function inspectSyncTime(folder: string): Promise<Results> {
  try {
    return assessSyncTime(await measureSync(join(folder, `.plant-store-check-${randomUUID()}`)));
  } catch (error) {
    return failure(
      `SQLite must be able to write files in ${folder}: ${messageOf(error)}`,
      'Run the command as the service user, free up space, or let this user write to the folder.',
    );
  }
}

async function measureSync(path: string): Promise<number> {
  const file = openSync(path, 'wx', 0o600);
  try {
    const content = Buffer.alloc(4_096, 1);
    return await medianTimeMs(25, () => {
      writeSync(file, content);
      fsyncSync(file);
    });
  } finally {
    closeSync(file);
    rmSync(path, { force: true });
  }
}

export function assessSyncTime(medianMs: number): Result {
  const commits = Math.max(1, Math.floor(1_000 / medianMs));
  const found = `${medianMs.toFixed(2)} ms (median): at most ${commits} commits per second; concurrent creates share commits`;
  if (medianMs <= slowMs) return ok(found);
  return warning(
    `${found}, but a single create takes at least that long`,
    'Move the database to a solid-state drive, or to a disk whose write cache survives a power failure.',
  );
}
