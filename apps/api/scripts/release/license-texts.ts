import { readdirSync, readFileSync } from 'node:fs';
import { type BundledPackage, toKey } from './bundled-packages.js';
import { readBundledSqlite } from './bundled-sqlite.js';

/** Files with a license or what it asks to pass on, such as `LICENSE.md` or `NOTICE`. */
const licenseFile = /^(licen[cs]e|copying|notice)(\.(md|txt))?$/i;

/**
 * Writes the licenses of all packages, and of SQLite, into one text, each once.
 *
 * @throws {Error} that names each package without a license text, which must not be distributed
 */
export function renderLicenses(packages: readonly BundledPackage[]): string {
  const texts = packages.map((bundled) => ({ bundled, text: findLicenseText(bundled.folder) }));
  const missing = texts.filter(({ text }) => text === undefined).map(({ bundled }) => toKey(bundled));
  if (missing.length > 0) {
    throw new Error(
      `These packages are in the bundle, but have no license text: ${missing.join(', ')}. Use others, or extend findLicenseText.`,
    );
  }
  const sqlite = readBundledSqlite();
  const line = '='.repeat(80);
  // Many packages have the same one.
  const groups = Map.groupBy([...texts, { bundled: sqlite, text: sqlite.licenseText }], ({ text }) => text);
  const parts = [...groups].map(([text, group]) => {
    const names = group.map(({ bundled }) => `${toKey(bundled)}, license ${bundled.license}\n`);
    return `${line}\n${names.join('')}${line}\n\n${text}\n`;
  });
  return `Plant Store contains the following packages, each under its own license.\n\n${parts.join('\n')}`;
}

/** The text of a package's license files, of the section on it in its README, or of the MIT license that its manifest names. */
function findLicenseText(folder: string): string | undefined {
  const names = readdirSync(folder).toSorted();
  const files = names.filter((name) => licenseFile.test(name));
  if (files.length > 0) return files.map((name) => read(`${folder}/${name}`)).join('\n\n');
  const readme = names.find((name) => /^readme\.md$/i.test(name));
  const [, section = ''] =
    /^#+ *licen[cs]e *\n([^#]*)/im.exec(readme ? read(`${folder}/${readme}`) : '') ?? [];
  if (/^Copyright [\s\S]*WARRANT/im.test(section)) return section.trim();
  if (!names.includes('package.json')) return undefined;
  const { license, author } = JSON.parse(read(`${folder}/package.json`)) as Readonly<Record<string, unknown>>;
  return license === 'MIT' && typeof author === 'string' ? renderMit(author) : undefined;
}

/** The MIT license, as https://opensource.org/license/mit has it. */
function renderMit(holder: string): string {
  return `Copyright (c) ${holder}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the
"Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish,
distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to
the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF
MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR
ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH
THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;
}

function read(path: string): string {
  return readFileSync(path, 'utf8').replaceAll('\r\n', '\n').trim();
}
