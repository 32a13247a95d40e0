import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeTestPage } from '../../../test/support/write-test-page.js';
import { OperatorError } from '../../errors/operator-error.js';
import { readPage } from './built-files.js';

it('reads every file that was built, by its path, and no other', () => {
  const folder = writeTestPage();
  writeFileSync(join(folder, 'assets/other-00000000.js'), 'alert(1)');
  const { files } = readPage(folder);
  expect([...files].map(([path, { name, isHashed }]) => ({ path, name, isHashed }))).toEqual([
    { path: '/assets/index-BjGIhLHV.js', name: 'assets/index-BjGIhLHV.js', isHashed: true },
    { path: '/assets/index-C_NqZPfo.css', name: 'assets/index-C_NqZPfo.css', isHashed: true },
    { path: '/icon.svg', name: 'icon.svg', isHashed: false },
    { path: '/', name: 'index.html', isHashed: false },
    { path: '/p/:id', name: 'index.html', isHashed: false },
  ]);
});

it.each<[string, name: string, change: (content: string) => string | undefined, RegExp]>([
  ['there is none', 'files.json', () => undefined, /ENOENT.*files\.json/],
  ['a file is missing', 'icon.svg', () => undefined, /ENOENT.*icon\.svg/],
  ['a file was changed', 'index.html', (html) => `${html}<p>`, /index\.html is not the file that was built/],
  ['its list is none', 'files.json', () => 'null', /not a list of files/],
  ['its list lacks the document', 'files.json', () => '{}', /does not list index\.html/],
])('explains what to do when %s', (_, name, change, reason) => {
  const folder = writeTestPage();
  const path = join(folder, name);
  const changed = change(readFileSync(path, 'utf8'));
  if (changed === undefined) rmSync(path);
  else writeFileSync(path, changed);
  const read = () => readPage(folder);
  expect(read).toThrow(OperatorError);
  expect(read).toThrow(reason);
  expect(read).toThrow(`The page in ${folder} cannot be served: `);
  expect(read).toThrow('or set PAGE=off to serve the API without the page.');
});
