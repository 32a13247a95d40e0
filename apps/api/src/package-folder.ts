import { createRequire } from 'node:module';

/** The folder of this package: this file is in its `src`, and the bundle with this module in its `dist`. */
export const packageFolder = new URL('../', import.meta.url);

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
