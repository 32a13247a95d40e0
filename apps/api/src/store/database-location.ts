import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shorten } from '@plant-store/contract/messages';
import { isLoopback } from '../auth/jwt-settings.js';

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
  readonly schema: string;
  readonly poolSize: number;
  readonly statementTimeoutMs: number;
  readonly timeouts: PostgresqlTimeouts;
  /** Whether connections begin without settings, which a pooler rejects. */
  readonly omitOptions?: boolean;
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

/** A command or the name of the variable, which users may copy together with the value. */
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

/** Options for a database that is not persistent or not writable. */
const unusableSqlite = /:memory:|[?&](mode=(memory|ro)|immutable=1|vfs=)/i;

/** Parses a `file:` URL; `undefined` for any other URL, and for one without a path. */
function parseSqliteUrl(url: string): ParsedDatabaseUrl | { readonly problem: string } | undefined {
  if (/^sqlite3?:/i.test(url))
    return { problem: 'must begin with file: instead of sqlite:, as in file:/srv/plant-store.db' };
  const [, address = '', parameters = ''] = /^(file:[^?#]+)(\?[^#]*)?$/s.exec(url) ?? [];
  if (address === '') return undefined;
  if (unusableSqlite.test(url))
    return { problem: 'must be a file on disk that the service can write, such as file:/srv/plant-store.db' };
  if (/^file:(\/\/)?~/.test(address))
    return { problem: 'must be file: and the full path instead of ~, as in file:/home/ada/plant-store.db' };
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
 * @returns the location, or what is wrong, as the rest of a sentence that begins with "DATABASE_PASSWORD_FILE" and never
 * contains the password
 */
export function addPasswordFromFile(
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

export interface ParsedPostgresqlUrl {
  readonly engine: 'postgresql';
  /** The URI for the driver, without `schema`. */
  readonly url: string;
  readonly schema: string;
  /** The parts that the service ignores or replaces, as sentences without a password. */
  readonly warnings: readonly string[];
}

/** What is wrong, as the rest of a sentence that begins with "DATABASE_URL". */
interface Problem {
  readonly problem: string;
}

const exampleUri = 'postgresql://user:password@host:5432/plant_store';

/** A list of `key=value`, as libpq and ADO.NET use. */
const keyValue =
  /^\s*(host|hostaddr|server|port|dbname|database|user|user id|username|password|sslmode)\s*=/i;
/** A placeholder that a provider's console shows instead of the password. */
const placeholder = /[[{<](your|my)?[-_ ]?password[\]}>]|:\*{3,}@/i;

const notUri =
  'is not a URI: write special characters of a password as %XX, such as %23 for #, %2F for /, %3F for ?, %40 for @, and %25 for %';
const oneHost =
  'must name one host, not a list: for failover, use a proxy, a virtual address, or a DNS name of the primary';

/** Several hosts before the path, which libpq would try one after the other. A comma may be part of the password. */
const hostList = /^\w+:\/\/([^/?#]*@)?[^/?#@]*,[^/?#@]*([/?#]|$)/;
/** An @ after the host. The text before it may be part of a password, which must not be quoted. */
const lateUserInfo = /^\w+:\/\/[^/?#]*[/?#].*@/s;

/** Parses a connection string as printed by providers and tools; `undefined` if it is not for PostgreSQL. */
function parseConnectionString(text: string): ParsedPostgresqlUrl | Problem | undefined {
  if (keyValue.test(text)) return parseList(text);
  if (/^jdbc:postgresql:/i.test(text))
    return { problem: `is for JDBC: write it without jdbc:, with user and password, as ${exampleUri}` };
  if (/^prisma(\+postgres)?:/i.test(text))
    return {
      problem: `is for Prisma's own server: use the direct connection string that its console shows, such as ${exampleUri}`,
    };
  if (/^postgres(ql)?\+\w+:/i.test(text))
    return { problem: `names a driver: write postgresql:// without it, as in ${exampleUri}` };
  return /^postgres(ql)?:/i.test(text) ? parseUri(text) : undefined;
}

/** A pair of ADO.NET, which may quote a value. */
const adoPair = /([^=;]+)=\s*("(?:[^"]|"")*"|'(?:[^']|'')*'|[^;]*?)\s*(?:;|$)/g;
/** A pair of libpq, which may quote a value. */
const libpqPair = /(\w+)\s*=\s*('(?:[^'\\]|\\.)*'|(?:[^\s\\]|\\.)+)(?:\s+|$)/gs;
/** In ADO.NET, the first pair ends with a semicolon, not with the next name. */
const isAdo = /^[^=;]+=(?![^;]*\s\w+\s*=)[^;]*;/;

/** The libpq names of parameters, by their ADO.NET names. */
const libpqNames: Readonly<Record<string, string>> = {
  server: 'host',
  database: 'dbname',
  'user id': 'user',
  username: 'user',
  'ssl mode': 'sslmode',
  'application name': 'application_name',
};

/** Parses a list of `key=value`, separated by spaces or semicolons. */
function parseList(list: string): ParsedPostgresqlUrl | Problem {
  const [pair, unquote] = isAdo.test(list)
    ? ([adoPair, unquoteAdo] as const)
    : ([libpqPair, unquoteLibpq] as const);
  // The remaining text may be the end of a password, which must not be quoted.
  if (/[^\s;]/.test(list.replaceAll(pair, '')))
    return { problem: 'must be key=value, with quotes around a value that has a space or a semicolon' };
  const parameters = [...list.matchAll(pair)].map(([, key = '', value = '']): [string, string] => {
    const name = key.trim().toLowerCase();
    return [libpqNames[name] ?? name, unquote(value)];
  });
  // ADO.NET's "Trust Server Certificate" adds nothing: sslmode says whether the certificate is verified.
  const used = parameters.filter(([name]) => name !== 'trust server certificate');
  return parseUri(`postgresql:///?${new URLSearchParams(used)}`);
}

/** Within quotes, a quote is doubled. */
function unquoteAdo(text: string): string {
  const mark = ['"', "'"].find((each) => text.length > 1 && text.startsWith(each) && text.endsWith(each));
  return mark === undefined ? text : text.slice(1, -1).replaceAll(mark + mark, mark);
}

/** A backslash may precede any character, also without quotes. */
function unquoteLibpq(text: string): string {
  return text.replace(/^'(.*)'$/s, '$1').replaceAll(/\\(.)/gs, '$1');
}

function parseUri(text: string): ParsedPostgresqlUrl | Problem {
  if (placeholder.test(text)) return { problem: 'has a placeholder: replace it with the password' };
  if (hostList.test(text)) return { problem: oneHost };
  // The host of a socket is a parameter, so the URL has no host, which the parser rejects.
  const uri = /[?&]host=/.test(text) ? text.replace(/^(\w+:\/\/[^/?#]*@)([/?])/, '$1localhost$2') : text;
  if (!URL.canParse(uri) || !isDecodable(uri))
    return { problem: /^\w+:\/\/[^/?#]*@[/?]/.test(uri) ? 'must name a host' : notUri };
  const url = new URL(uri);
  if (url.hash !== '' || url.pathname.includes('@')) return { problem: notUri };
  const location = readLocation(url);
  const isDoubtful = 'problem' in location || location.warnings.length > 0;
  return isDoubtful && lateUserInfo.test(text) ? { problem: notUri } : location;
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

/** Parameters that the driver or the service uses. */
const usedParameters = [
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'sslnegotiation',
  'uselibpqcompat',
  'application_name',
  'host',
  'options',
  'schema',
];
/** Parameters without effect: the service detects a pooler, and always uses UTF-8. */
const withoutEffect = ['pgbouncer', 'sslcompression', 'client_encoding', 'fallback_application_name'];

const ownTimeouts = 'the service uses its own timeouts and DATABASE_STATEMENT_TIMEOUT_MS';
/** Parameters that are ignored with a warning, which says what is used instead. */
const insteadOf = new Map<string, string>(
  Object.entries({
    connection_limit: 'DATABASE_POOL_SIZE is used',
    pool_timeout: ownTimeouts,
    connect_timeout: ownTimeouts,
    socket_timeout: ownTimeouts,
    statement_timeout: ownTimeouts,
    hostaddr: 'the address of the host is used',
    sslsni: 'the name of the host is always sent',
    ssl_max_protocol_version: 'TLS 1.3 is used if the server supports it',
  }),
);

/** Parameters that are rejected, because ignoring them would weaken security: what to do, and the values that may be ignored, if any. */
const rejected = new Map<string, readonly [advice: string, harmless?: RegExp]>(
  Object.entries({
    target_session_attrs: ['the service writes, so name the primary', /^(any|read-write|primary)$/],
    gssencmode: ['remove it, and encrypt with sslmode=verify-full', /^(disable|prefer)$/],
    ssl_min_protocol_version: [
      'remove it, and set the version at the server: the service uses TLS 1.2 or later',
      /^TLSv1(\.[0-2])?$/i,
    ],
    require_auth: ['remove it, and set the method at the server'],
    sslcrl: ['remove it: revoked certificates are not looked up'],
    sslcrldir: ['remove it: revoked certificates are not looked up'],
    sslidentity: ['use sslcert and sslkey (PEM files) instead'],
    sslpassword: ['remove it, and set sslkey to a key without a password'],
    passfile: ['set DATABASE_PASSWORD_FILE instead'],
    service: ['write the host, user, and database into the URI'],
  }),
);
/** An unknown parameter that may ask for protection, for example one that is misspelled. */
const protective = /ssl|tls|cert|auth|gss|krb|bind/i;

/** A parameter inside a value, because it was separated by something other than `&`. */
const anyParameter = new RegExp(`\\b(${usedParameters.join('|')})=`);
/** Names that need no quotes in SQL, so that Prisma's tools, psql and this service read them the same way. */
const schemaName = /^[a-z_][a-z0-9_]{0,62}$/;

function readLocation(url: URL): ParsedPostgresqlUrl | Problem {
  const { searchParams } = url;
  for (const [name, value] of [...searchParams])
    if (value === '' && /^\w+$/.test(name)) searchParams.delete(name);
  const hosts = [decodeURIComponent(url.hostname), searchParams.get('host')];
  if (hosts.some((host) => host?.includes(','))) return { problem: oneHost };
  const misplaced = moveIntoAuthority(url);
  if (misplaced !== undefined) return misplaced;
  for (const alias of ['search_path', 'currentSchema']) {
    const value = searchParams.get(alias);
    searchParams.delete(alias);
    if (value !== null && !searchParams.has('schema')) searchParams.set('schema', value);
  }

  const tls = readTls(url);
  if ('problem' in tls) return tls;
  const warnings = [...tls.warnings];
  for (const [name, value] of [...searchParams]) {
    if (usedParameters.includes(name)) continue;
    const [advice, harmless] = rejected.get(name) ?? [];
    const instead = insteadOf.get(name);
    const isIgnored = instead !== undefined || withoutEffect.includes(name);
    const isUnknown = advice === undefined && !isIgnored;
    const mayBeIgnored = isIgnored || harmless?.test(value) || (isUnknown && !protective.test(name));
    const shown = shorten(name);
    if (!/^\w[\w.-]*( \w+)*$/.test(name) || !mayBeIgnored)
      return { problem: `has the parameter ${shown}: ${advice ?? 'it is not supported, so remove it'}` };
    searchParams.delete(name);
    if (instead !== undefined) warnings.push(`${shown} is ignored: ${instead}.`);
    else if (isUnknown) warnings.push(`${shown} is not a known parameter and is ignored.`);
  }
  const names = [...searchParams.keys()];
  const values = [...searchParams].filter(([name]) => name !== 'options').map(([, value]) => value);
  if ([url.pathname, ...values].some((value) => anyParameter.test(value)))
    return { problem: 'must separate its parameters by &, as in ?sslmode=verify-full&schema=plant_store' };
  const duplicate = names.find((name, index) => names.indexOf(name) < index);
  if (duplicate !== undefined) return { problem: `has the parameter ${duplicate} twice` };
  if (!/^\/[^/]+$/.test(url.pathname))
    return { problem: 'must end in the name of a database, as in //host/plant_store' };
  if (url.hostname === '' && !searchParams.has('host')) return { problem: 'must name a host' };
  const searchPath = /(?:^|\s)(?:-c\s*|--)search_path=(\S+)/.exec(searchParams.get('options') ?? '')?.[1];
  const schema = searchParams.get('schema') ?? searchPath ?? 'public';
  if (!schemaName.test(schema)) {
    return { problem: 'must have only lowercase letters, digits, and _ in its schema' };
  }
  searchParams.delete('schema');
  return { engine: 'postgresql', url: url.href, schema, warnings };
}

/** Moves parts of the address, which libpq also accepts as parameters, into the authority and the path of the URL. */
function moveIntoAuthority(url: URL): Problem | undefined {
  const take = (name: string) => {
    const value = url.searchParams.get(name);
    url.searchParams.delete(name);
    return value;
  };
  const host = url.searchParams.get('host');
  if (host !== null && !host.startsWith('/')) {
    url.searchParams.delete('host');
    const { href, hostname } = URL.parse(`postgresql://${isIP(host) === 6 ? `[${host}]` : host}`) ?? {};
    // The setter ignores an invalid host, and the driver would then connect to another one.
    if (!hostname || href !== `postgresql://${hostname}`)
      return { problem: 'must have a name or an address as host, and its port as port' };
    url.hostname = hostname;
  }
  const [user, password, port, database] = ['user', 'password', 'port', 'dbname'].map(take);
  if (url.hostname === '' && [user, password, port].some(Boolean)) url.hostname = 'localhost';
  if (user) url.username = encodeURIComponent(user);
  if (password) url.password = encodeURIComponent(password);
  if (port) url.port = port;
  if (port && url.port !== port) return { problem: 'must have a number up to 65535 as port' };
  if (database) url.pathname = encodeURIComponent(database);
  return undefined;
}

/** The modes of TLS, from the weakest to the strongest, as libpq calls them. */
const modes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'];
/** Other names of the modes. */
const modeOf: Readonly<Record<string, string>> = {
  allow: 'prefer',
  'no-verify': 'require',
  verifyca: 'verify-ca',
  verifyfull: 'verify-full',
  // Of node-postgres and JDBC, which check the certificate then.
  true: 'verify-full',
  '1': 'verify-full',
  false: 'disable',
  '0': 'disable',
  // Of Prisma.
  strict: 'verify-full',
  accept_invalid_certs: 'prefer',
};

/** Sets the mode of the URI to the strongest one that any of its parameters requests. */
function readTls({ searchParams, hostname }: URL): { readonly warnings: readonly string[] } | Problem {
  const asked = ['sslmode', 'ssl', 'sslaccept'].flatMap((name) =>
    searchParams.getAll(name).map((value) => [`${name}=${value}`, value.toLowerCase()] as const),
  );
  const demands = asked.map(([shown, value]) => ({ shown, mode: modeOf[value] ?? value }));
  const unknown = demands.find(({ mode }) => !modes.includes(mode));
  if (unknown !== undefined) return { problem: `must have one of ${modes.join(', ')} as sslmode` };
  const hasBinding = searchParams.get('channel_binding') === 'require';
  if (hasBinding) demands.push({ shown: 'channel_binding=require', mode: 'verify-full' });
  if (searchParams.get('sslrootcert') === 'system') {
    // The authorities that Node.js knows: the driver would read a file of this name.
    searchParams.delete('sslrootcert');
    demands.push({ shown: 'sslrootcert=system', mode: 'verify-full' });
  }
  if (searchParams.get('sslnegotiation') === 'direct')
    demands.push({ shown: 'sslnegotiation=direct', mode: 'require' });
  const strength = ({ mode }: { readonly mode: string }) => modes.indexOf(mode);
  const sorted = demands.toSorted((a, b) => strength(a) - strength(b));
  const [weakest, strongest] = [sorted[0], sorted.at(-1)];
  if (weakest?.mode === 'disable' && strongest !== undefined && strength(strongest) > 1)
    return {
      problem: `requests TLS with ${strongest.shown} but disables it with ${weakest.shown}: remove one of them`,
    };
  if (searchParams.has('sslcert') !== searchParams.has('sslkey'))
    return {
      problem: 'needs both sslcert and sslkey, of the client; the file of the CA is sslrootcert',
    };

  const sslModes = searchParams.getAll('sslmode');
  if (sslModes.length > 1) return { problem: 'has the parameter sslmode twice' };
  const isLocal = searchParams.has('host') || isLoopback(hostname);
  const hasFiles = ['sslrootcert', 'sslcert'].some((name) => searchParams.has(name));
  // If there are files, the driver checks the certificate. libpq and most other clients encrypt if the server supports it.
  const mode = strongest?.mode ?? (hasFiles || isLocal ? undefined : 'prefer');
  if (mode === 'verify-ca' && !searchParams.has('sslrootcert'))
    return { problem: 'needs sslrootcert, the file of the CA, for sslmode=verify-ca' };
  for (const name of ['ssl', 'sslaccept', 'channel_binding', 'uselibpqcompat']) searchParams.delete(name);
  if (searchParams.get('sslnegotiation') === 'postgres') searchParams.delete('sslnegotiation');
  if (mode !== undefined) {
    searchParams.set('sslmode', mode);
    // Without it, the driver treats every mode but disable as verify-full.
    searchParams.set('uselibpqcompat', 'true');
  }
  const isStronger = hasBinding && !demands.some(({ shown }) => shown === 'sslmode=verify-full');
  const instead = 'channel_binding=require becomes sslmode=verify-full, which also verifies the server.';
  return { warnings: isStronger ? [instead] : [] };
}
