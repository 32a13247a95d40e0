import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { explainUnreadable, explainUnwritable } from './file-access.js';

const errorOf = (code: string) => Object.assign(new Error(code), { code });

// `test/cli/backup.test.ts` has what is printed for a lack of access.
it('says how root creates a folder with a strange name, and what systemd needs to write there', () => {
  const folder = temporaryFolder();
  const missing = join(folder, "it's new");
  expect(explainUnwritable(errorOf('EACCES'), missing)).toMatch(/ -m 0700 '.*\/it'\\''s new'$/);
  mkdirSync(missing);
  expect(explainUnwritable(errorOf('EROFS'), join(folder, 'new'))).toContain(
    `\n  [Service]\n  ReadWritePaths=${folder}/new`,
  );
});

it('adds nothing to other errors', () => {
  expect(explainUnwritable(errorOf('ENOSPC'), '/')).toBe('');
  expect(explainUnreadable(errorOf('EIO'), '/root/copy.db', '/')).toBe('');
});
