import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shorten } from '@plant-store/contract/messages';

/** Where the plants are stored: the database engine, and what it needs to open the database. */
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

const exampleUri = 'postgresql://user:password@host:5432/plants';
/** The other form of libpq, or that of ADO.NET. */
const keyValue = /^\s*(host|hostaddr|server|port|dbname|database|user|user id|password|sslmode)\s*=/i;

/** The part of a location that `DATABASE_URL` determines. */
type ParsedDatabaseUrl =
  | Pick<SqliteLocation, 'engine' | 'path'>
  | Pick<PostgresqlLocation, 'engine' | 'url' | 'schema'>;

/**
 * Parses a `DATABASE_URL`.
 *
 * @returns the location, or what is wrong with the URL, as the rest of a sentence that begins with "DATABASE_URL" and
 * never contains the password
 */
export function parseDatabaseUrl(url: string): ParsedDatabaseUrl | { readonly problem: string } {
  if (/^postgres(ql)?:/.test(url)) return parsePostgresqlUrl(url);
  const path = sqlitePath(url);
  if (path !== undefined) return { engine: 'sqlite', path };
  if (keyValue.test(url)) return { problem: `is a list of key=value: write it as a URI, ${exampleUri}` };
  return {
    problem:
      'must be file: and the path of a SQLite file, such as file:./data/plant-store.db, or a PostgreSQL URI, such as ' +
      exampleUri,
  };
}

/** The path in a `file:` URL; `undefined` for any other URL, and for one without a path or with parameters. */
function sqlitePath(url: string): string | undefined {
  if (!/^file:[^?#]+$/.test(url) || url.includes(':memory:')) return undefined;
  if (!url.startsWith('file://')) return url.slice('file:'.length);
  try {
    return new URL(url).host === '' ? fileURLToPath(url) : undefined;
  } catch {
    return undefined;
  }
}

/** The supported parameters of a PostgreSQL URI: those of libpq, and Prisma's `schema`. */
const parameters = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'application_name', 'host', 'schema'];
/** What the strings of providers have, and what makes no difference to the service: it finds out whether there is a pooler. */
const ignoredParameters = ['pgbouncer', 'uselibpqcompat'];
const ownTimeouts = 'remove it: the service has timeouts of its own, and DATABASE_STATEMENT_TIMEOUT_MS';
/** What to do about parameters of Prisma, of node-postgres and of providers. */
const insteadOf: Readonly<Record<string, string>> = {
  channel_binding: 'write sslmode=verify-full in place of sslmode=require&channel_binding=require',
  connection_limit: 'set DATABASE_POOL_SIZE in its place',
  pool_timeout: ownTimeouts,
  connect_timeout: ownTimeouts,
  socket_timeout: ownTimeouts,
  statement_timeout: ownTimeouts,
  ssl: 'write sslmode=require or verify-full in its place',
  sslaccept: 'write sslmode=verify-full in its place, or sslmode=require for accept_invalid_certs',
};
/** A parameter within a value, which another separator than `&` has made a part of it. */
const anyParameter = new RegExp(`\\b(${parameters.join('|')})=`);
/** The modes of libpq that always or never use TLS, and never fall back. */
const sslModes = ['disable', 'require', 'verify-ca', 'verify-full'];
/** Names that need no quotes in SQL, so that Prisma's tools, psql and this service all read them alike. */
const schemaName = /^[a-z_][a-z0-9_]{0,62}$/;

/** Several hosts before the path, which libpq tries one after the other; a comma may be part of the password. */
const hostList = /^\w+:\/\/([^/?#]*@)?[^/?#@]*,[^/?#@]*([/?#]|$)/;
/** An @ after the host: what stands before it may be the rest of a password, which must not be quoted. */
const lateUserInfo = /^\w+:\/\/[^/?#]*[/?#].*@/s;
const oneHost =
  'must name one host, not a list: for failover let a proxy, a virtual address or a DNS name lead to the primary, and name that';
const notUri = 'is not a URI: write special characters of a password as %XX';

function parsePostgresqlUrl(text: string): ParsedDatabaseUrl | { readonly problem: string } {
  if (hostList.test(text)) return { problem: oneHost };
  if (!URL.canParse(text) || !isDecodable(text)) return { problem: notUri };
  const url = new URL(text);
  if (url.hash !== '' || url.pathname.includes('@')) return { problem: notUri };
  const location = readLocation(url);
  return 'problem' in location && lateUserInfo.test(text) ? { problem: notUri } : location;
}

function readLocation(url: URL): ParsedDatabaseUrl | { readonly problem: string } {
  const { searchParams } = url;
  for (const name of ignoredParameters) searchParams.delete(name);
  // Without `require` it promises nothing.
  if (searchParams.get('channel_binding') !== 'require') searchParams.delete('channel_binding');
  // Of libpq, for the authorities of the system: the driver would read a file of this name.
  if (searchParams.get('sslrootcert') === 'system' && searchParams.get('sslmode') === 'verify-full')
    searchParams.delete('sslrootcert');
  const names = [...searchParams.keys()];
  const unknown = names.find((name) => !parameters.includes(name));
  if (unknown !== undefined) {
    const advice = insteadOf[unknown] ?? `remove it; only ${parameters.join(', ')} are supported`;
    return { problem: `has the parameter ${shorten(unknown)}: ${advice}` };
  }
  if ([url.pathname, ...searchParams.values()].some((value) => anyParameter.test(value)))
    return { problem: 'must separate its parameters by &, as in ?sslmode=verify-full&schema=plants' };
  const duplicate = names.find((name, index) => names.indexOf(name) < index);
  if (duplicate !== undefined) return { problem: `has the parameter ${duplicate} twice` };
  const sslMode = searchParams.get('sslmode');
  if (sslMode !== null && !sslModes.includes(sslMode)) {
    return { problem: `must have one of ${sslModes.join(', ')} as sslmode` };
  }
  if (sslMode === 'verify-ca' && !searchParams.has('sslrootcert')) {
    return { problem: 'needs sslrootcert, the file of the CA, for sslmode=verify-ca' };
  }
  if (!/^\/[^/]+$/.test(url.pathname))
    return { problem: 'must end in the name of a database, as in //host/plants' };
  const socketFolder = searchParams.get('host');
  const hosts = [decodeURIComponent(url.hostname), socketFolder];
  if (hosts.some((host) => host?.includes(','))) return { problem: oneHost };
  if (socketFolder !== null && !socketFolder.startsWith('/')) {
    return { problem: 'must have the folder of a Unix socket as host, such as /var/run/postgresql' };
  }
  if (url.hostname === '' && socketFolder === null) return { problem: 'must name a host' };
  const schema = searchParams.get('schema') ?? 'public';
  if (!schemaName.test(schema)) {
    return { problem: 'must have lower-case letters, digits and _ only in its schema' };
  }
  searchParams.delete('schema');
  // Without it, the driver treats every mode but disable as verify-full.
  if (sslMode !== null) searchParams.set('uselibpqcompat', 'true');
  return { engine: 'postgresql', url: url.href, schema };
}

/** Whether every % begins an escape sequence, as the driver expects. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * Adds to a location the password that a file holds, as secrets are handed to containers and systemd services: its text,
 * without a line break at its end.
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
    return { problem: 'needs a user and a host in DATABASE_URL, as in postgresql://user@host:5432/plants' };
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
    const password = readFileSync(file, 'utf8').replace(/\r?\n$/, '');
    if (/^[^\0\r\n]+$/.test(password)) return password;
  } catch (error) {
    return { problem: `cannot be read: ${error instanceof Error ? error.message : error}` };
  }
  return { problem: `must be a file with one line, the password; ${file} is not` };
}
