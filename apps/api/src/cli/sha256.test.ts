import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { hashFile, readSha256, writeSha256 } from './sha256.js';

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
