import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shorten } from '@plant-store/contract/messages';
import { exampleUri, type ParsedPostgresqlUrl, parseConnectionString } from './connection-string.js';

/** Where records are stored: the database engine, and what it needs to open the database. */
export type DatabaseLocation = SqliteLocation | PostgresqlLocation;

export interface SqliteLocation {
  readonly engine: 'sqlite';
  /** The path of the database file; in the configuration it is absolute. */
  readonly path: string;
}

export interface PostgresqlLocation {
  readonly engine: 'postgresql';
  /** The connection URI, without `schema`; it may hold a password. */
  readonly url: string;
  /** The schema that the tables are in. */
  readonly schema: string;
  /** How many connections may be open. */
  readonly poolSize: number;
  /** The timeout of a statement, in milliseconds. */
  readonly statementTimeoutMs: number;
  readonly timeouts: PostgresqlTimeouts;
  /** Whether connections begin without settings, which a pooler rejects. */
  readonly withoutOptions?: boolean;
}

/** How long the service waits for a PostgreSQL server besides its statements, in milliseconds. */
export interface PostgresqlTimeouts {
  /** For a connection at the start, when no request waits and the server may be busy. */
  readonly startConnectMs: number;
  /** For a connection while requests wait for it. */
  readonly connectMs: number;
  /** For the reply to a statement, after the server's own timeout for it. */
  readonly queryMarginMs: number;
}

export const postgresqlTimeouts: PostgresqlTimeouts = {
  startConnectMs: 10_000,
  connectMs: 3_000,
  queryMarginMs: 1_000,
};

/** The part of a location that `DATABASE_URL` determines. */
type ParsedDatabaseUrl =
  | (Pick<SqliteLocation, 'engine' | 'path'> & Pick<ParsedPostgresqlUrl, 'warnings'>)
  | ParsedPostgresqlUrl;

/** What a value that was copied has before it: a command, or the name of the variable. */
const copiedBefore = /^(?:psql\s+|(?:export\s+)?DATABASE_URL\s*=\s*)/;
const quoted = /^(?:"(.*)"|'(.*)');?$/s;

/**
 * Parses a `DATABASE_URL`.
 *
 * @returns the location, or what is wrong with the URL, as the rest of a sentence that begins with "DATABASE_URL" and
 * never contains the password
 */
export function parseDatabaseUrl(text: string): ParsedDatabaseUrl | { readonly problem: string } {
  const value = text.trim().replace(copiedBefore, '');
  const [, double, single] = quoted.exec(value) ?? [];
  const url = (double ?? single ?? value).trim();
  return (
    parseConnectionString(url) ??
    parseSqliteUrl(url) ?? {
      problem: `must be file: and the path of a SQLite file, such as file:./data/plant-store.db, or a PostgreSQL URI, such as ${exampleUri}`,
    }
  );
}

/** What asks for a database that is not kept, or not written. */
const unusableSqlite = /:memory:|[?&](mode=(memory|ro)|immutable=1|vfs=)/i;

/** Parses a `file:` URL; `undefined` for any other URL, and for one without a path. */
function parseSqliteUrl(url: string): ParsedDatabaseUrl | { readonly problem: string } | undefined {
  if (/^sqlite3?:/i.test(url))
    return { problem: 'must begin with file: in place of sqlite:, as in file:/srv/plant-store.db' };
  const [, address = '', parameters = ''] = /^(file:[^?#]+)(\?[^#]*)?$/s.exec(url) ?? [];
  if (address === '') return undefined;
  if (unusableSqlite.test(url))
    return { problem: 'must be a file on disk that the service can write, such as file:/srv/plant-store.db' };
  if (/^file:(\/\/)?~/.test(address))
    return { problem: 'must be file: and the whole path in place of ~, as in file:/home/ada/plant-store.db' };
  if (/^file:\/\/[^/]/.test(address))
    return { problem: 'must be file: with one slash or three, or with none before a relative path' };
  const path = address.startsWith('file://') ? pathOf(address) : address.slice('file:'.length);
  const ignored = [...new Set(new URLSearchParams(parameters).keys())].map(
    (name) => `${shorten(name)} is ignored: the service uses its own settings.`,
  );
  return path === undefined ? undefined : { engine: 'sqlite', path, warnings: ignored };
}

function pathOf(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}

/**
 * Adds to a location the password that a file holds, as secrets are handed to containers and systemd services: its text,
 * without a byte order mark and a line break at its end.
 *
 * @param file the path of the file; `undefined` for none
 * @returns the location, or what is wrong, as the rest of a sentence that begins with "DATABASE_PASSWORD_FILE" and never
 * contains the password
 */
export function addPasswordOfFile(
  location: ParsedDatabaseUrl,
  file: string | undefined,
): ParsedDatabaseUrl | { readonly problem: string } {
  if (file === undefined) return location;
  if (location.engine !== 'postgresql') return { problem: 'is only for a PostgreSQL DATABASE_URL' };
  const url = new URL(location.url);
  if (url.password !== '') return { problem: 'is set, but DATABASE_URL has a password: remove one of them' };
  if (url.username === '' || url.hostname === '') {
    return {
      problem: 'needs a user and a host in DATABASE_URL, as in postgresql://user@host:5432/plant_store',
    };
  }
  const password = readPassword(file);
  if (typeof password !== 'string') return password;
  // The setter escapes everything but %.
  url.password = encodeURIComponent(password);
  return { ...location, url: url.href };
}

function readPassword(file: string): string | { readonly problem: string } {
  if (!isAbsolute(file)) return { problem: 'must be the absolute path of a file with the password' };
  try {
    const password = readFileSync(file, 'utf8').replace(/^\uFEFF|\r?\n$/g, '');
    if (/^[^\0\r\n]+$/.test(password)) return password;
  } catch (error) {
    return { problem: `cannot be read: ${error instanceof Error ? error.message : error}` };
  }
  return { problem: `must be a file with one line, the password; ${file} is not` };
}
