import { readdirSync, readFileSync } from 'node:fs';
import { type BundledPackage, toKey } from './bundled-packages.js';
import { readBundledSqlite } from './bundled-sqlite.js';

/** Files with a license or what it asks to pass on, such as `LICENSE.md` or `NOTICE`. */
const licenseFile = /^(licen[cs]e|copying|notice)(\.(md|txt))?$/i;

/**
 * Writes the licenses of all packages, and of SQLite, into one text.
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
  const parts = [...texts, { bundled: sqlite, text: sqlite.licenseText }].map(
    ({ bundled, text }) => `${line}\n${toKey(bundled)}, license ${bundled.license}\n${line}\n\n${text}\n`,
  );
  return `Plant Store contains the following packages, each under its own license.\n\n${parts.join('\n')}`;
}

/** The text of a package's license files, or of the section on it in its README. */
function findLicenseText(folder: string): string | undefined {
  const names = readdirSync(folder).toSorted();
  const files = names.filter((name) => licenseFile.test(name));
  if (files.length > 0) return files.map((name) => read(`${folder}/${name}`)).join('\n\n');
  const readme = names.find((name) => /^readme\.md$/i.test(name));
  const [, section = ''] =
    /^#+ *licen[cs]e *\n([^#]*)/im.exec(readme ? read(`${folder}/${readme}`) : '') ?? [];
  return /^Copyright [\s\S]*WARRANT/im.test(section) ? section.trim() : undefined;
}

function read(path: string): string {
  return readFileSync(path, 'utf8').replaceAll('\r\n', '\n').trim();
}
