import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { replaceFolder } from './replace-folder.js';

const writeFile = (name: string) => async (folder: string) => writeFileSync(join(folder, name), name);

let parent = '';
let target = '';
beforeEach(async () => {
  parent = join(temporaryFolder(), 'new');
  target = join(parent, 'target');
  await replaceFolder(target, writeFile('first'));
});

it('replaces a folder as a whole, never shows an incomplete one, and leaves nothing beside it', async () => {
  expect(readdirSync(target)).toEqual(['first']);
  await replaceFolder(target, async (folder) => {
    await writeFile('second')(folder);
    expect(readdirSync(target)).toEqual(['first']);
  });
  expect(readdirSync(target)).toEqual(['second']);
  expect(readdirSync(parent)).toEqual(['target']);
});

it('leaves the folder as it was when writing fails', async () => {
  const failing = replaceFolder(target, async (folder) => {
    await writeFile('second')(folder);
    throw new Error('no space left');
  });
  await expect(failing).rejects.toThrow('no space left');
  expect(readdirSync(parent)).toEqual(['target']);
  expect(readdirSync(target)).toEqual(['first']);
});
