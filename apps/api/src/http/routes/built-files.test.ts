import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { writeTestPage } from '../../../test/support/write-test-page.js';
import { OperatorError } from '../../errors/operator-error.js';
import { readPage } from './built-files.js';

/** Writes a page until the end of the test, and returns its folder. */
function write(): string {
  const { folder, remove } = writeTestPage();
  onTestFinished(remove);
  return folder;
}

it('reads every file that was built, by its path', () => {
  const page = readPage(write());
  expect([...page].map(([path, { name, isHashed }]) => ({ path, name, isHashed }))).toEqual([
    { path: '/assets/index-BjGIhLHV.js', name: 'assets/index-BjGIhLHV.js', isHashed: true },
    { path: '/assets/index-C_NqZPfo.css', name: 'assets/index-C_NqZPfo.css', isHashed: true },
    { path: '/icon.svg', name: 'icon.svg', isHashed: false },
    { path: '/', name: 'index.html', isHashed: false },
  ]);
});

it('ignores files that were not built', () => {
  const folder = write();
  writeFileSync(join(folder, 'assets/other-00000000.js'), 'alert(1)');
  expect([...readPage(folder).keys()]).not.toContain('/assets/other-00000000.js');
});

it.each<[string, (folder: string) => void, RegExp]>([
  ['there is none', (folder) => rmSync(folder, { recursive: true }), /ENOENT.*files\.json/],
  ['a file is missing', (folder) => rmSync(join(folder, 'icon.svg')), /ENOENT.*icon\.svg/],
  [
    'a file was changed',
    (folder) => writeFileSync(join(folder, 'index.html'), '<script>alert(1)</script>'),
    /index\.html is not the file that was built/,
  ],
  [
    'a compressed file was cut off',
    (folder) => writeFileSync(join(folder, 'index.html.br'), ''),
    /index\.html\.br is not the file that was built/,
  ],
  [
    'its list was cut off',
    (folder) => {
      const list = join(folder, 'files.json');
      writeFileSync(list, readFileSync(list, 'utf8').slice(0, 40));
    },
    /JSON/,
  ],
  ['its list is none', (folder) => writeFileSync(join(folder, 'files.json'), 'null'), /not a list of files/],
  [
    'its list lacks the document',
    (folder) => writeFileSync(join(folder, 'files.json'), '{}'),
    /does not list index\.html/,
  ],
])('explains what to do when %s', (_, damage, reason) => {
  const folder = write();
  damage(folder);
  const read = () => readPage(folder);
  expect(read).toThrow(OperatorError);
  expect(read).toThrow(reason);
  expect(read).toThrow(`The page in ${folder} cannot be served: `);
  expect(read).toThrow('or set PAGE=off to serve the API without the page.');
});
