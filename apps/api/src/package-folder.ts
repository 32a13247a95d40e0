import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** The root folder of this package. This module runs from the package's `src` folder, or bundled from its `dist` folder. */
export const packageFolder = new URL('../', import.meta.url);

/**
 * Returns the absolute path of a documentation page, for messages to operators. In a release, the pages are in the package folder. In a clone,
 * they are in the repository root.
 *
 * @param page the page's path in the repository, such as `docs/operate/backup.md`
 */
export function docsPath(page: string, folder: URL = packageFolder): string {
  const inRelease = new URL(page, folder);
  return fileURLToPath(existsSync(inRelease) ? inRelease : new URL(`../../${page}`, folder));
}

/**
 * Returns the program's version and the commit that it was built from. The commit is `unknown` in a clone, because only a release's
 * `package.json` contains it.
 */
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
