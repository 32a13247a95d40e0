import { fileURLToPath } from 'node:url';

/** Where the plants are kept: an engine, and what it needs to open them. */
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
  /** How many connections are open at most. */
  readonly poolSize: number;
  /** How long a statement may take, in milliseconds. */
  readonly statementTimeoutMs: number;
}

/** What `DATABASE_URL` says by itself. */
export type ParsedDatabaseUrl =
  | Pick<SqliteLocation, 'engine' | 'path'>
  | Pick<PostgresqlLocation, 'engine' | 'url' | 'schema'>;

/**
 * Parses a `DATABASE_URL`.
 *
 * @returns what it says, or what is wrong with it, in words that follow "DATABASE_URL"; these never have the password
 */
export function parseDatabaseUrl(url: string): ParsedDatabaseUrl | { readonly fault: string } {
  if (/^postgres(ql)?:/.test(url)) return parsePostgresqlUrl(url);
  const path = sqlitePath(url);
  if (path !== undefined) return { engine: 'sqlite', path };
  return {
    fault:
      'must be file: and the path of a SQLite file, such as file:./data/plant-store.db, or a PostgreSQL URI, such as postgresql://user:password@host:5432/plants',
  };
}

/** The path in a `file:` URL; `undefined` for any other URL, for no path, and for parameters, which have no meaning here. */
function sqlitePath(url: string): string | undefined {
  if (!/^file:[^?#]+$/.test(url) || url.includes(':memory:')) return undefined;
  if (!url.startsWith('file://')) return url.slice('file:'.length);
  try {
    return new URL(url).host === '' ? fileURLToPath(url) : undefined;
  } catch {
    return undefined;
  }
}

/** The parameters of a PostgreSQL URI that are honoured: those of libpq, and Prisma's `schema`. */
const parameters = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'application_name', 'host', 'schema'];
/** The modes of libpq that never fall back to a connection without TLS, and the one that never has it. */
const sslModes = ['disable', 'require', 'verify-ca', 'verify-full'];
/** Names that need no quotes, so that Prisma's tools, psql and this service agree on them. */
const schemaName = /^[a-z_][a-z0-9_]{0,62}$/;

/** Several hosts before the path, which libpq tries one after the other; a comma may be part of the password. */
const hostList = /^\w+:\/\/([^/?#]*@)?[^/?#@]*,[^/?#@]*([/?#]|$)/;
const oneHost =
  'must name one host, not a list: for failover let a proxy, a virtual address or a DNS name lead to the primary, and name that';

function parsePostgresqlUrl(text: string): ParsedDatabaseUrl | { readonly fault: string } {
  if (hostList.test(text)) return { fault: oneHost };
  if (!URL.canParse(text) || !isDecodable(text)) {
    return { fault: 'is no URI: write special characters of a password as %XX' };
  }
  const url = new URL(text);
  const { searchParams } = url;
  const names = [...searchParams.keys()];
  const unknown = names.find((name) => !parameters.includes(name));
  if (unknown !== undefined) {
    return { fault: `has the parameter ${unknown}; only ${parameters.join(', ')} are honoured` };
  }
  const repeated = names.find((name, index) => names.indexOf(name) < index);
  if (repeated !== undefined) return { fault: `has the parameter ${repeated} twice` };
  const sslMode = searchParams.get('sslmode');
  if (sslMode !== null && !sslModes.includes(sslMode)) {
    return { fault: `must have one of ${sslModes.join(', ')} as sslmode` };
  }
  if (sslMode === 'verify-ca' && !searchParams.has('sslrootcert')) {
    return { fault: 'needs sslrootcert, the file of the CA, for sslmode=verify-ca' };
  }
  if (!/^\/[^/]+$/.test(url.pathname))
    return { fault: 'must end in the name of a database, as in //host/plants' };
  const hosts = [decodeURIComponent(url.hostname), searchParams.get('host')];
  if (hosts.some((host) => host?.includes(','))) return { fault: oneHost };
  if (url.hostname === '' && !searchParams.has('host')) return { fault: 'must name a host' };
  const schema = searchParams.get('schema') ?? 'public';
  if (!schemaName.test(schema)) {
    return { fault: 'must have lower-case letters, digits and _ only in its schema' };
  }
  searchParams.delete('schema');
  // Without it the driver takes every mode but disable for verify-full.
  if (sslMode !== null) searchParams.set('uselibpqcompat', 'true');
  return { engine: 'postgresql', url: url.href, schema };
}

/** Whether every % begins the code of a character, as the driver expects. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
