import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { writeAtomically } from './atomic-write.js';

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'plant-store-test-'));
  path = join(folder, 'plants');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

it('shows the file once it is whole, to this user alone', async () => {
  const result = await writeAtomically(path, async (temporaryPath) => {
    expect(modeOf(temporaryPath)).toBe('600');
    await writeFile(temporaryPath, 'half');
    expect(readdirSync(folder)).not.toContain('plants');
    await writeFile(temporaryPath, 'whole');
    return 7;
  });
  expect(result).toBe(7);
  expect(readdirSync(folder)).toEqual(['plants']);
  expect([readFileSync(path, 'utf8'), modeOf(path)]).toEqual(['whole', '600']);
});

it('leaves nothing behind when it fails', async () => {
  const failing = writeAtomically(path, async (temporaryPath) => {
    await writeFile(temporaryPath, 'half');
    throw new Error('a fault');
  });
  await expect(failing).rejects.toThrow('a fault');
  expect(readdirSync(folder)).toEqual([]);
});

it('refuses a file that exists, and leaves it as it is', async () => {
  writeFileSync(path, 'old');
  const fill = vi.fn();
  await expect(writeAtomically(path, fill)).rejects.toThrow(`${path} exists already`);
  expect(fill).not.toHaveBeenCalled();
  expect(readFileSync(path, 'utf8')).toBe('old');
});

it('refuses a file that came in the meantime, and leaves it as it is', async () => {
  const late = writeAtomically(path, () => writeFile(path, 'of another'));
  await expect(late).rejects.toThrow(`${path} exists already`);
  expect(readdirSync(folder)).toEqual(['plants']);
  expect(readFileSync(path, 'utf8')).toBe('of another');
});

it('says why a file cannot be written', async () => {
  await expect(writeAtomically(join(folder, 'nowhere/plants'), vi.fn())).rejects.toThrow(
    /plants cannot be written: ENOENT/,
  );
});
