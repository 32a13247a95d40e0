import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../test/support/temporary-folder.js';
import { readPackage } from './package-folder.js';

it.each([
  [{ version: '2.0.0', commit: '3c8c0a9' }, '3c8c0a9'],
  [{ version: '2.0.0' }, 'unknown'],
])('reads the version and the commit from %j', (content, commit) => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'package.json'), JSON.stringify(content));
  expect(readPackage(pathToFileURL(`${folder}/`))).toEqual({ version: '2.0.0', commit });
});
