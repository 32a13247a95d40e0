import { existsSync } from 'node:fs';
import { join } from 'node:path';

/** Where Debian's packages put what is used here. */
export const goFiles = { go: '/usr/bin/go', path: '/usr/share/gocode' };

/** A file of each Debian package that the Go server is built with. */
const packageFiles = {
  'golang-go': goFiles.go,
  gcc: '/usr/bin/gcc',
  'libc6-dev': '/usr/include/stdlib.h',
  'golang-github-mattn-go-sqlite3-dev': join(goFiles.path, 'src/github.com/mattn/go-sqlite3'),
};

/** The Debian packages that are not installed in a root folder. */
export function missingPackages(root: string): string[] {
  return Object.entries(packageFiles)
    .filter(([, path]) => !existsSync(join(root, path)))
    .map(([name]) => name);
}
