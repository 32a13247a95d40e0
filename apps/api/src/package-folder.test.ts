import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../test/support/temporary-folder.js';
import { docsPath, readPackage } from './package-folder.js';

it.each([
  [{ version: '2.0.0', commit: '3c8c0a9' }, '3c8c0a9'],
  [{ version: '2.0.0' }, 'unknown'],
])('reads the version and the commit from %j', (content, commit) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'package.json'), JSON.stringify(content));
  expect(readPackage(pathToFileURL(`${folder}/`))).toEqual({ version: '2.0.0', commit });
});

it('finds a page in the package of a release, and otherwise in the repository', () => {
  const page = 'docs/operate/backup.md';
  expect(existsSync(docsPath(page))).toBe(true);
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'docs/operate'), { recursive: true });
  writeFileSync(join(folder, page), '');
  expect(docsPath(page, pathToFileURL(`${folder}/`))).toBe(join(folder, page));
});
