import fs, { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
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

const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

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

it('leaves nothing behind when it fails', async () => {
  const failing = writeAtomically(path, async (temporaryPath) => {
    await writeFile(temporaryPath, 'half');
    throw new Error('failure');
  });
  await expect(failing).rejects.toThrow('failure');
  expect(readdirSync(folder)).toEqual([]);
});

it('rejects a file that exists, and leaves it unchanged', async () => {
  writeFileSync(path, 'old');
  const fill = vi.fn();
  await expect(writeAtomically(path, fill)).rejects.toThrow(`${path} exists already`);
  expect(fill).not.toHaveBeenCalled();
  expect(readFileSync(path, 'utf8')).toBe('old');
});

it('rejects a file that was created meanwhile, and leaves it unchanged', async () => {
  const late = writeAtomically(path, () => writeFile(path, 'other content'));
  await expect(late).rejects.toThrow(`${path} exists already`);
  expect(readdirSync(folder)).toEqual(['plants']);
  expect(readFileSync(path, 'utf8')).toBe('other content');
});

describe('on a disk without hard links', () => {
  beforeEach(() => failWith('link', 'EPERM'));
  afterEach(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });

  function failWith(name: 'link' | 'rename', code: string): void {
    vi.spyOn(fs.promises, name).mockRejectedValue(Object.assign(new Error(code), { code, syscall: name }));
    syncBuiltinESMExports();
  }

  it('creates the file, too', async () => {
    await writeAtomically(path, (temporaryPath) => writeFile(temporaryPath, 'complete'));
    expect(readdirSync(folder)).toEqual(['plants']);
    expect([readFileSync(path, 'utf8'), modeOf(path)]).toEqual(['complete', '600']);
  });

  it('leaves a file unchanged that was created meanwhile', async () => {
    const late = writeAtomically(path, () => writeFile(path, 'other content'));
    await expect(late).rejects.toThrow(`${path} exists already`);
    expect(readdirSync(folder)).toEqual(['plants']);
    expect(readFileSync(path, 'utf8')).toBe('other content');
  });

  it('leaves nothing behind when the file cannot get its name', async () => {
    failWith('rename', 'EIO');
    const failing = writeAtomically(path, (temporaryPath) => writeFile(temporaryPath, 'complete'));
    await expect(failing).rejects.toThrow(/plants cannot be written: EIO/);
    expect(readdirSync(folder)).toEqual([]);
  });
});

it('reports why a file cannot be written', async () => {
  await expect(writeAtomically(join(folder, 'nowhere/plants'), vi.fn())).rejects.toThrow(
    /plants cannot be written: ENOENT/,
  );
});
