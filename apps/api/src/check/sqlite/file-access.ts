import { type Stats, statSync } from 'node:fs';
import { failure, type Item, ok, type Result, warning } from '../finding.js';
import type { SqliteFiles } from './sqlite-files.js';

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
