import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { OperatorError } from '../../errors/operator-error.js';

/**
 * Creates a file for this user alone (0600), whole and synced to disk, or not at all. Until it is whole it has a
 * hidden name beside its own.
 *
 * @param fill fills the file whose path it is given: empty, and there already
 * @returns what `fill` gives
 * @throws {OperatorError} when the file exists, which leaves it as it is, or cannot be written
 * @throws what `fill` throws
 */
export async function writeAtomically<Result>(
  path: string,
  fill: (temporaryPath: string) => Promise<Result>,
): Promise<Result> {
  if (existsSync(path)) throw new OperatorError(alreadyThere(path));
  const temporaryPath = join(dirname(path), `.${basename(path)}.${randomUUID()}.partial`);
  try {
    await createEmpty(temporaryPath);
    const result = await fill(temporaryPath);
    await sync(temporaryPath);
    // The name is taken with an empty file, which a rename may replace: so no file of another is ever replaced.
    await createEmpty(path);
    await rename(temporaryPath, path);
    await sync(dirname(path));
    return result;
  } catch (error) {
    await rm(temporaryPath, { force: true });
    throw explain(error, path);
  }
}

async function createEmpty(path: string): Promise<void> {
  await (await open(path, 'wx', 0o600)).close();
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}

function explain(error: unknown, path: string): unknown {
  if (!(error instanceof Error && 'syscall' in error && 'code' in error)) return error;
  if (error.code === 'EEXIST') return new OperatorError(alreadyThere(path), { cause: error });
  return new OperatorError(`The file ${path} cannot be written: ${error.message}`, { cause: error });
}

function alreadyThere(path: string): string {
  return `The file ${path} exists already, and is left as it is. Give another name.`;
}
