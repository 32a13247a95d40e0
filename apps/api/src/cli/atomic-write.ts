import { randomUUID } from 'node:crypto';
import { existsSync, type Stats } from 'node:fs';
import { type FileHandle, link, open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf, OperatorError } from '../errors/operator-error.js';
import { syncToDisk } from '../store/sqlite/database-files.js';
import { explainUnwritable } from './file-access.js';

/**
 * Creates a file atomically: complete and synced to disk, readable by one user only (0600), or not at all. Until it is complete, it has a
 * hidden name in the same folder.
 *
 * @param fill writes the content to an empty file at the given path
 * @param owner the file's owner, which only root can choose; by default this user
 * @throws {OperatorError} if the file exists, and is left unchanged, or if it cannot be written
 * @throws what `fill` throws
 */
export async function writeAtomically<Result>(
  path: string,
  fill: (temporaryPath: string) => Promise<Result>,
  owner?: Pick<Stats, 'uid' | 'gid'>,
): Promise<Result> {
  if (existsSync(path)) throw new OperatorError(alreadyThere(path));
  const temporaryPath = join(dirname(path), `.${basename(path)}.${randomUUID()}.partial`);
  let file: FileHandle | undefined;
  try {
    file = await createEmpty(temporaryPath);
    // By descriptor, because in a folder that another user can write to, the path may now lead to another file.
    if (owner !== undefined) await file.chown(owner.uid, owner.gid);
    const result = await fill(temporaryPath);
    await file.sync();
    await publish(temporaryPath, path);
    syncToDisk(dirname(path));
    return result;
  } catch (error) {
    // If the file could not be created, removing it could fail, too.
    if (file !== undefined) await rm(temporaryPath, { force: true });
    throw explain(error, path);
  } finally {
    await file?.close();
  }
}

/** The error codes of a disk that has no hard links, such as FAT. */
const noLinks: readonly unknown[] = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** Gives the complete file its name. Unlike a plain rename, this never replaces someone else's file. */
async function publish(temporaryPath: string, path: string): Promise<void> {
  try {
    await link(temporaryPath, path);
    await rm(temporaryPath);
  } catch (error) {
    if (!noLinks.includes(codeOf(error))) throw error;
    // Reserves the name with an empty file of our own.
    await (await createEmpty(path)).close();
    await rename(temporaryPath, path).catch(async (failure) => {
      await rm(path);
      throw failure;
    });
  }
}

/** Creates an empty file. Fails if the path exists, or is a symbolic link. */
function createEmpty(path: string): Promise<FileHandle> {
  return open(path, 'wx', 0o600);
}

function explain(error: unknown, path: string): unknown {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return error;
  if (error.code === 'EEXIST') return new OperatorError(alreadyThere(path), { cause: error });
  return new OperatorError(
    `The file ${path} cannot be written: ${error.message}${explainUnwritable(error, dirname(path))}`,
    {
      cause: error,
    },
  );
}

function alreadyThere(path: string): string {
  return `The file ${path} already exists and was left unchanged. Choose another name.`;
}
