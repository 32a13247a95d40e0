import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { replaceFolder } from './replace-folder.js';

const writeFile = (name: string) => async (folder: string) => writeFileSync(join(folder, name), name);

it('replaces a folder as a whole, and leaves nothing beside it', async () => {
  const parent = join(temporaryFolder(), 'new');
  await replaceFolder(join(parent, 'target'), writeFile('first'));
  expect(readdirSync(join(parent, 'target'))).toEqual(['first']);
  await replaceFolder(join(parent, 'target'), writeFile('second'));
  expect(readdirSync(join(parent, 'target'))).toEqual(['second']);
  expect(readdirSync(parent)).toEqual(['target']);
});

it('leaves the folder as it was when writing fails', async () => {
  const parent = temporaryFolder();
  const target = join(parent, 'target');
  await replaceFolder(target, writeFile('first'));
  const failing = replaceFolder(target, async (folder) => {
    await writeFile('second')(folder);
    throw new Error('no space left');
  });
  await expect(failing).rejects.toThrow('no space left');
  expect(readdirSync(parent)).toEqual(['target']);
  expect(readdirSync(target)).toEqual(['first']);
});

it('never shows an incomplete folder', async () => {
  const target = join(temporaryFolder(), 'target');
  await replaceFolder(target, writeFile('first'));
  await replaceFolder(target, async (folder) => {
    await writeFile('second')(folder);
    expect(readFileSync(join(target, 'first'), 'utf8')).toBe('first');
    expect(readdirSync(target)).toEqual(['first']);
  });
});
