import { chmodSync, lstatSync, mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root folder of the repository, and that of the service's package. */
export const root = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '');
export const packageFolder = `${root}/apps/api`;

/** Writes a file, with the folders that it is in. */
export function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

/** Lists the files in a folder, by their paths relative to it. */
export function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => !lstatSync(join(folder, path)).isDirectory())
    .toSorted();
}

/**
 * Sets modes and times, which otherwise depend on the umask and on the installation.
 *
 * @param programs matches the paths of the files that can be run
 */
export function finish(folder: string, programs: RegExp, time: Date | undefined): void {
  for (const path of [...readdirSync(folder, { recursive: true, encoding: 'utf8' }), '']) {
    const status = lstatSync(join(folder, path));
    if (status.isSymbolicLink()) continue;
    chmodSync(join(folder, path), status.isDirectory() || programs.test(path) ? 0o755 : 0o644);
    if (time !== undefined) utimesSync(join(folder, path), time, time);
  }
}
