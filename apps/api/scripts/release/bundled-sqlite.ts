import { readFileSync } from 'node:fs';
import Database from 'better-sqlite3';
import { findInstalled } from './bundled-packages.js';

/** SQLite, which is compiled into better-sqlite3. */
export interface BundledSqlite {
  readonly name: 'sqlite';
  readonly version: string;
  /** In SPDX: SQLite is in the public domain, and its source has a blessing in place of a license. */
  readonly license: 'blessing';
  readonly licenseText: string;
}

/**
 * Reads what better-sqlite3 shows of its SQLite: the version only at run time, the blessing in the source.
 *
 * @throws {Error} when the source has no blessing
 */
export function readBundledSqlite(): BundledSqlite {
  const database = new Database(':memory:');
  const version = String(database.prepare('SELECT sqlite_version()').pluck().get());
  database.close();
  const header = `${findInstalled('better-sqlite3')}/deps/sqlite3/sqlite3.h`;
  const [lines] =
    /^\*\* The author disclaims copyright[\s\S]*?(?=^\*{3})/m.exec(readFileSync(header, 'utf8')) ?? [];
  if (lines === undefined) throw new Error(`${header} has no blessing.`);
  const licenseText = lines.replaceAll(/^\*\* ?/gm, '').trim();
  return { name: 'sqlite', version, license: 'blessing', licenseText };
}
