import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { explainUnreadable, explainUnwritable } from './file-access.js';

const errorOf = (code: string) => Object.assign(new Error(code), { code });
const denied = errorOf('EACCES');

it('names the user without write access, and says how root creates a folder for them without changing an existing one', () => {
  const folder = temporaryFolder();
  const missing = join(folder, "it's new");
  expect(explainUnwritable(denied, missing)).toMatch(
    /runs as the user \S+, which may not write there\. Run as root:\n {2}install -d -o \S+ -g \S+ -m 0700 '.*\/it'\\''s new'$/,
  );
  mkdirSync(missing);
  expect(explainUnwritable(denied, folder)).toMatch(
    new RegExp(` -m 0700 ${folder}/plant-store\nThen name that folder\\.$`),
  );
  expect(explainUnwritable(errorOf('EROFS'), join(folder, 'new'))).toContain(
    `\n  [Service]\n  ReadWritePaths=${folder}/new`,
  );
  expect(explainUnwritable(errorOf('ENOSPC'), folder)).toBe('');
});

it('names the user without read access, and says how root copies the file for them', () => {
  expect(explainUnreadable(denied, '/root/copy.db*', '/var/lib/plant-store')).toMatch(
    /who may not read it\. Run as root:\n {2}install -d -o \S+ -g \S+ -m 0700 \/var\/lib\/plant-store\/incoming && install -o \S+ -g \S+ -m 0600 -t \/var\/lib\/plant-store\/incoming \/root\/copy\.db\*\n/,
  );
  expect(explainUnreadable(errorOf('EIO'), '/root/copy.db', '/')).toBe('');
});
