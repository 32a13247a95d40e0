import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import {
  hashFile,
  nameBackup,
  parseBackupName,
  readSha256,
  sortBackups,
  writeSha256,
} from './backup-files.js';

const id = '0123456789abcdef';
const time = new Date('2026-11-28T21:30:00Z');

it('parses a name back to its parts, with an id and without', () => {
  for (const storeId of [id, undefined]) {
    const name = nameBackup(storeId, time);
    expect(parseBackupName(name)).toEqual({ name, storeId, time });
  }
});

it.each([
  'plant-store.db',
  'plant-store-0123456789abcdef-2026-13-28T21-30-00Z.db',
  'plant-store-0123456789ABCDEF-2026-11-28T21-30-00Z.db',
  `${nameBackup(id, time)}.sha256`,
  `.${nameBackup(id, time)}.to-send`,
])('does not treat other files as backups: %s', (name) => {
  expect(parseBackupName(name)).toBeUndefined();
});

it('sorts by time regardless of the ids, and separates names in the future', () => {
  const [first, second, third] = ['20', '21', '22'].map((hour) => new Date(`2026-11-28T${hour}:30:00Z`));
  if (first === undefined || second === undefined || third === undefined) throw new Error('three times');
  const names = [nameBackup('f'.repeat(16), first), nameBackup(undefined, second), nameBackup(id, third)];
  const { backups, future } = sortBackups(names.toReversed(), second);
  expect(backups.map(({ name }) => name)).toEqual(names.slice(0, 2));
  expect(future).toEqual(names.slice(2));
});

const never = new AbortController().signal;

it.each(['copy.db', 'a copy.db', 'two\nlines\\.db'])('writes for %j what sha256sum reads', async (name) => {
  const folder = temporaryFolder();
  const path = join(folder, name);
  writeFileSync(path, 'plants');
  expect(await readSha256(path)).toBeUndefined();
  await writeSha256(path, await hashFile(path, never));
  expect(await readSha256(path)).toBe(createHash('sha256').update('plants').digest('hex'));
  const check = () =>
    execFileSync('sha256sum', ['--check', '--strict', `${name}.sha256`], { cwd: folder, stdio: 'pipe' });
  check();
  writeFileSync(path, 'other plants');
  expect(check).toThrow();
});
