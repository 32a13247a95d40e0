import { type Stats, statfsSync, statSync } from 'node:fs';
import { failure, type Item, ok, type Result, warning } from './finding.js';

/** Permissions of the group and of all others. */
const groupAndOthers = 0o077;
/** The permission of all others to create and remove files of a folder, unless it is sticky. */
const othersWrite = 0o002;
const sticky = 0o1000;

/** Who may read and write the files: they hold the plants, and the hashes of the tokens. */
export const fileAccess: Item<SqliteFiles> = {
  name: 'file access',
  inspect({ path, folder }) {
    const present = [path, `${path}-wal`, `${path}-shm`].flatMap((file) => {
      const stats = statSync(file, { throwIfNoEntry: false });
      return stats === undefined ? [] : [{ file, stats }];
    });
    const problems = [
      ...present.flatMap(({ file, stats }) => [...inspectMode(file, stats), ...inspectOwner(file, stats)]),
      ...inspectFolder(folder),
    ];
    if (problems.length > 0) return problems;
    return ok(
      present.length === 0 ? 'there are no files yet' : 'this user owns the files, and no other may use them',
    );
  },
};

function inspectMode(file: string, { mode }: Stats): readonly Result[] {
  if ((mode & groupAndOthers) === 0) return [];
  const digits = (mode & 0o777).toString(8).padStart(4, '0');
  return [
    warning(
      `other users may use ${file}, which has mode ${digits}: it holds the hashes of the tokens`,
      `Let only its owner: chmod 600 ${file}`,
    ),
  ];
}

function inspectOwner(file: string, { uid }: Stats): readonly Result[] {
  const user = process.getuid?.();
  if (user === undefined || user === uid) return [];
  return [
    warning(
      `${file} belongs to the user with the id ${uid}, and this command runs as ${user}`,
      'Run every command as the user of the service, who owns the files.',
    ),
  ];
}

function inspectFolder(folder: string): readonly Result[] {
  const { mode } = statSync(folder);
  if ((mode & othersWrite) === 0 || (mode & sticky) !== 0) return [];
  return [
    failure(
      `every user may replace the files in ${folder}`,
      `Let only its owner write: chmod go-w ${folder}`,
    ),
  ];
}

/** File systems over a network, by the number that Linux gives their type (statfs(2), linux/magic.h). */
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
/** File systems in memory: tmpfs and ramfs. */
const memoryTypes: readonly number[] = [0x01021994, 0x858458f6];

const moveIt = 'Set DATABASE_URL to a file on a local disk.';

/** Whether the file system keeps what is synced to it, and shares SQLite's write-ahead log between processes. */
export const fileSystem: Item<SqliteFiles> = {
  name: 'file system',
  inspect: ({ folder }) => assessFileSystem(statfsSync(folder).type, folder, process.platform),
};

/** @param type the number that the operating system gives the type of a folder's file system */
export function assessFileSystem(type: number, folder: string, platform: NodeJS.Platform): Result {
  if (platform !== 'linux') return ok(`that of ${folder}, whose type is known on Linux only`);
  const network = networkTypes[type];
  if (network !== undefined) {
    return failure(
      `${folder} is on ${network}, over which SQLite's write-ahead log does not work: the database may be damaged`,
      moveIt,
    );
  }
  if (memoryTypes.includes(type)) {
    return warning(`${folder} is in memory: a restart of the machine erases all plants`, moveIt);
  }
  if (type === overlay) {
    return warning(
      `${folder} is in the writable layer of a container, which is removed with the container`,
      'Mount a volume there, or set DATABASE_URL to a file on one.',
    );
  }
  if (type === fuse) {
    return warning(
      `${folder} is on a file system in user space (FUSE), which may be a network behind it`,
      `If it is one: ${moveIt}`,
    );
  }
  return ok(`${folder} is on a local disk (type 0x${type.toString(16)})`);
}

/** The free space below which the write-ahead log, which has up to 128 MB, may fill the disk, in bytes. */
const minFreeBytes = 256 * 2 ** 20;

/** Whether the disk has room for the write-ahead log, and for a backup beside the database. */
export const diskSpace: Item<SqliteFiles> = {
  name: 'disk space',
  inspect({ path, folder }) {
    const { bavail, bsize } = statfsSync(folder);
    const size = [path, `${path}-wal`]
      .map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0)
      .reduce((sum, bytes) => sum + bytes, 0);
    return assessDiskSpace({ freeBytes: bavail * bsize, databaseBytes: size });
  },
};

/** Assesses how much of the disk is left to users, for a database with its write-ahead log. */
export function assessDiskSpace({
  freeBytes,
  databaseBytes,
}: {
  readonly freeBytes: number;
  readonly databaseBytes: number;
}): Result {
  const found = `${toMegabytes(freeBytes)} MB free, and the database has ${toMegabytes(databaseBytes)} MB`;
  if (freeBytes < minFreeBytes) {
    return failure(
      `${found}: on a full disk no plant can be stored`,
      'Free space, or move the database to a larger disk.',
    );
  }
  if (freeBytes < databaseBytes) {
    return warning(
      `${found}: a backup beside it would not fit`,
      'Back up to another disk, and plan for a larger one.',
    );
  }
  return ok(found);
}

function toMegabytes(bytes: number): number {
  return Math.round(bytes / 1e6);
}

/** The files to examine. */
export interface SqliteFiles {
  /** The database file; it may not exist yet. */
  readonly path: string;
  /** The folder of the file, or the one above it that exists. */
  readonly folder: string;
}
