import fs, { readdirSync, readFileSync, statSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { writeAtomically } from './atomic-write.js';

let folder = '';
let path = '';
beforeEach(() => {
  folder = temporaryFolder();
  path = join(folder, 'plants');
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

function failWith(name: 'link' | 'open' | 'rename' | 'rm', code: string): void {
  vi.spyOn(fs.promises, name).mockRejectedValue(Object.assign(new Error(code), { code, syscall: name }));
  syncBuiltinESMExports();
}

const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

describe.each([true, false])('on a disk with hard links: %s', (hasLinks) => {
  beforeEach(() => void (hasLinks || failWith('link', 'EPERM')));

  it('creates the file once it is complete, readable by this user only', async () => {
    const result = await writeAtomically(path, async (temporaryPath) => {
      expect(modeOf(temporaryPath)).toBe('600');
      await writeFile(temporaryPath, 'half');
      expect(readdirSync(folder)).not.toContain('plants');
      await writeFile(temporaryPath, 'complete');
      return 7;
    });
    expect(result).toBe(7);
    expect(readdirSync(folder)).toEqual(['plants']);
    expect([readFileSync(path, 'utf8'), modeOf(path)]).toEqual(['complete', '600']);
  });

  it('fails if the file is created in the meantime, and leaves that file unchanged', async () => {
    const late = writeAtomically(path, () => writeFile(path, 'other content'));
    await expect(late).rejects.toThrow(`${path} already exists`);
    expect(readdirSync(folder)).toEqual(['plants']);
    expect(readFileSync(path, 'utf8')).toBe('other content');
  });
});

it('reports why a file cannot be created, even if its folder is not accessible', async () => {
  for (const name of ['open', 'rm'] as const) failWith(name, 'EACCES');
  await expect(writeAtomically(path, vi.fn())).rejects.toThrow(`${path} cannot be written: EACCES`);
});

it('rejects a file that exists before it writes anything', async () => {
  fs.writeFileSync(path, 'old');
  const fill = vi.fn();
  await expect(writeAtomically(path, fill)).rejects.toThrow(`${path} already exists`);
  expect(fill).not.toHaveBeenCalled();
});

it.each([
  ['it cannot be filled', () => Promise.reject(new Error('failure')), 'failure'],
  [
    'it cannot get its name',
    async () => {
      failWith('link', 'EPERM');
      failWith('rename', 'EIO');
    },
    /plants cannot be written: EIO/,
  ],
])('leaves nothing behind when %s', async (_, fill, message) => {
  await expect(writeAtomically(path, fill)).rejects.toThrow(message);
  expect(readdirSync(folder)).toEqual([]);
});
