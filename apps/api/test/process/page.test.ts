import { execFile } from 'node:child_process';
import { cpSync, existsSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { readServedFile } from '../support/read-served-file.js';
import { temporaryFolder } from '../support/temporary-folder.js';

/** The page of apps/web, as the build has put it beside the command. */
const packageFolder = fileURLToPath(new URL('../..', import.meta.url));
const read = (name: string) => readServedFile(join(packageFolder, 'dist/page', name));
/** Not what lies in the folder: Turborepo restores a build beside the files of others. */
const written = Object.keys(JSON.parse(read('files.json').toString()));
const names = [...new Set(written.map((name) => name.replace(/\.(br|gz)$/, '')))];

it('has a document that loads only files of the page, and has no code or style of its own', () => {
  const document = read('index.html').toString();
  const targets = [...document.matchAll(/\s(?:src|href)="([^"]*)"/g)].map(([, target = '']) => target);
  const loaded = targets.filter((target) => target !== './openapi.json');
  expect(loaded.length).toBeGreaterThan(2);
  expect(loaded.filter((target) => !target.startsWith('./') || !names.includes(target.slice(2)))).toEqual([]);
  expect(document).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|javascript:|data:|blob:/i);
});

it('has no file that a Content-Security-Policy without exceptions would keep from working', () => {
  // In a style sheet these are requests to other origins, or images that img-src 'self' blocks.
  const blocked = { js: /sourceMappingURL=/, css: /sourceMappingURL=|url\((?!["']?(\.\/|#))[^)]*/ };
  for (const [type, pattern] of Object.entries(blocked))
    for (const name of names.filter((name) => name.endsWith(`.${type}`)))
      expect([name, read(name).toString().match(pattern)]).toEqual([name, null]);
});

it('does not start with a damaged page, changes nothing, and prints what to do', async () => {
  const copy = temporaryFolder();
  cpSync(join(packageFolder, 'dist'), join(copy, 'dist'), { recursive: true });
  for (const name of ['node_modules', 'package.json', 'prisma'])
    symlinkSync(join(packageFolder, name), join(copy, name));
  rmSync(join(copy, 'dist/page/index.html'));

  const options = { cwd: copy, env: { PORT: '0' } };
  const started = promisify(execFile)(process.execPath, [join(copy, 'dist/main.js'), 'serve'], options);
  const message =
    /^plant-store: The page in .*\/dist\/page cannot be served: .*index\.html.*\nBuild or install this program again, or set PAGE=off/;
  await expect(started).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(message) });
  expect(existsSync(join(copy, 'data'))).toBe(false);
});
