import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** The folder of this package: this file is in its `src`, and the bundle with this module in its `dist`. */
export const packageFolder = new URL('../', import.meta.url);

/**
 * The path on this machine of a page for operators, which messages name: a release has it, and a clone in the root of the repository.
 *
 * @param page its path in the repository, such as `docs/operate/backup.md`
 */
export function docsPath(page: string, folder: URL = packageFolder): string {
  const inRelease = new URL(page, folder);
  return fileURLToPath(existsSync(inRelease) ? inRelease : new URL(`../../${page}`, folder));
}

/** Returns the version of this program and the commit that it was built from, which only the package of a release has. */
export function readPackage(folder: URL = packageFolder): {
  readonly version: string;
  readonly commit: string;
} {
  const { version, commit = 'unknown' } = createRequire(folder)('./package.json') as {
    readonly version: string;
    readonly commit?: string;
  };
  return { version, commit };
}
