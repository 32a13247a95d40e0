import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { shorten } from '@plant-store/contract/messages';
import { isLoopback } from '../auth/jwt-settings.js';

/** The database that stores the records: its engine, and the settings to open it. */
export type DatabaseLocation = SqliteLocation | PostgresqlLocation;

export interface SqliteLocation {
  readonly engine: 'sqlite';
  /** The path of the database file. It is absolute in a parsed configuration. */
  readonly path: string;
}

export interface PostgresqlLocation {
  readonly engine: 'postgresql';
  /** The connection URI, without the parameter `schema`. Can contain a password. */
  readonly url: string;
  readonly schema: string;
  readonly poolSize: number;
  readonly statementTimeoutMs: number;
  readonly timeouts: PostgresqlTimeouts;
  /** Whether to connect without the startup parameter `options`, which some poolers reject. */
  readonly omitOptions?: boolean;
}

/** Timeouts for a PostgreSQL server, in milliseconds. The timeout for statements is a setting; see `statementTimeoutMs`. */
export interface PostgresqlTimeouts {
  /** How long to wait for a connection when the service starts. No requests are waiting then, and the server may be busy. */
  readonly startConnectMs: number;
  /** How long to wait for a connection that requests are waiting for. */
  readonly connectMs: number;
  /** How long to wait for a reply after the server's statement timeout has passed. */
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

/** Describes what is wrong with a variable, as the rest of a sentence that begins with the variable's name. Never contains the password. */
interface Problem {
  readonly problem: string;
}

/** A command or variable name that users sometimes paste along with the value. */
const pastedPrefix = /^(?:psql\s+|(?:export\s+)?DATABASE_URL\s*=\s*)/;
/** A value in quotation marks. */
const quoted = /^(?:"(.*)"|'(.*)');?$/s;

/** Parses a `DATABASE_URL`. */
export function parseDatabaseUrl(text: string): ParsedDatabaseUrl | Problem {
  const value = text.trim().replace(pastedPrefix, '');
  const [, double, single] = quoted.exec(value) ?? [];
  const url = (double ?? single ?? value).trim();
  return (
    parseConnectionString(url) ??
    parseSqliteUrl(url) ?? {
      problem: `must be file: followed by the path of a SQLite file, such as file:./data/plant-store.db, or a PostgreSQL URI, such as ${exampleUri}`,
    }
  );
}

/** Options that open a database in memory or read-only, or that replace the file system. */
const unusableSqlite = /:memory:|[?&](mode=(memory|ro)|immutable=1|vfs=)/i;

/** Parses a `file:` URL. Returns `undefined` for any other URL, or if the URL has no valid path. */
function parseSqliteUrl(url: string): ParsedDatabaseUrl | Problem | undefined {
  if (/^sqlite3?:/i.test(url))
    return { problem: 'must begin with file: instead of sqlite:, as in file:/srv/plant-store.db' };
  const [, address = '', parameters = ''] = /^(file:[^?#]+)(\?[^#]*)?$/s.exec(url) ?? [];
  if (address === '') return undefined;
  if (unusableSqlite.test(url))
    return {
      problem: 'must be a file on disk that the service can write to, such as file:/srv/plant-store.db',
    };
  if (/^file:(\/\/)?~/.test(address))
    return { problem: 'must contain the full path instead of ~, as in file:/home/ada/plant-store.db' };
  if (/^file:\/\/[^/]/.test(address))
    return {
      problem: 'must be file: followed by a relative path, or by an absolute path with one or three slashes',
    };
  const path = address.startsWith('file://') ? toFilePath(address) : address.slice('file:'.length);
  const warnings = [...new Set(new URLSearchParams(parameters).keys())].map(
    (name) => `${shorten(name)} is ignored: the service uses its own settings.`,
  );
  return path === undefined ? undefined : { engine: 'sqlite', path, warnings };
}

function toFilePath(url: string): string | undefined {
  try {
    return fileURLToPath(url);
  } catch {
    return undefined;
  }
}

/**
 * Reads a password from a `DATABASE_PASSWORD_FILE` and adds it to a location. Containers and systemd services receive their secrets in such
 * files. A byte order mark and a final line break are not part of the password.
 */
export function addPasswordFromFile(
  location: ParsedDatabaseUrl,
  file: string | undefined,
): ParsedDatabaseUrl | Problem {
  if (file === undefined) return location;
  if (location.engine !== 'postgresql') return { problem: 'works only with a PostgreSQL DATABASE_URL' };
  const url = new URL(location.url);
  if (url.password !== '')
    return { problem: 'is set, but DATABASE_URL also contains a password: remove one of them' };
  if (url.username === '' || url.hostname === '') {
    return {
      problem: 'requires a user and a host in DATABASE_URL, as in postgresql://user@host:5432/plant_store',
    };
  }
  const password = readPassword(file);
  if (typeof password !== 'string') return password;
  // The password setter does not escape %.
  url.password = encodeURIComponent(password);
  return { ...location, url: url.href };
}

function readPassword(file: string): string | Problem {
  if (!isAbsolute(file)) return { problem: 'must be the absolute path of a file that contains the password' };
  try {
    const password = readFileSync(file, 'utf8').replace(/^\uFEFF|\r?\n$/g, '');
    if (/^[^\0\r\n]+$/.test(password)) return password;
  } catch (error) {
    return { problem: `cannot be read: ${error instanceof Error ? error.message : error}` };
  }
  return { problem: `must name a file that contains only the password, on one line, unlike ${file}` };
}

export interface ParsedPostgresqlUrl {
  readonly engine: 'postgresql';
  /** The URI for the driver, without the parameter `schema`. */
  readonly url: string;
  readonly schema: string;
  /** Sentences about the parts of the URI that the service ignores or replaces. They never contain the password. */
  readonly warnings: readonly string[];
}

const exampleUri = 'postgresql://user:password@host:5432/plant_store';

/** The start of a `key=value` list, as libpq and ADO.NET use it. */
const keyValue =
  /^\s*(host|hostaddr|server|port|dbname|database|user|user id|username|password|sslmode)\s*=/i;
/** A placeholder that a provider's console displays instead of the password. */
const placeholder = /[[{<](your|my)?[-_ ]?password[\]}>]|:\*{3,}@/i;

const notUri =
  'is not a valid URI: percent-encode special characters in the password, such as %23 for #, %2F for /, %3F for ?, %40 for @, and %25 for %';
const oneHost =
  'must name one host, not a list: for failover, use a proxy, a virtual IP address, or a DNS name that points to the primary';

/** A list of hosts before the path. libpq would try them in order. A comma in the user information can be part of the password. */
const hostList = /^\w+:\/\/([^/?#]*@)?[^/?#@]*,[^/?#@]*([/?#]|$)/;
/** An @ after the apparent host. The text before the @ can be part of a password, so messages must not quote it. */
const lateUserInfo = /^\w+:\/\/[^/?#]*[/?#].*@/s;

/** Parses a connection string in a format that providers and tools print. Returns `undefined` if the string is not for PostgreSQL. */
function parseConnectionString(text: string): ParsedPostgresqlUrl | Problem | undefined {
  if (keyValue.test(text)) return parseKeyValueList(text);
  if (/^jdbc:postgresql:/i.test(text))
    return { problem: `is a JDBC URL: rewrite it as a URI, such as ${exampleUri}` };
  if (/^prisma(\+postgres)?:/i.test(text))
    return {
      problem: `is for Prisma's hosted service: use the direct connection string from the Prisma console, such as ${exampleUri}`,
    };
  if (/^postgres(ql)?\+\w+:/i.test(text))
    return { problem: `includes a driver name after postgresql: remove the driver, as in ${exampleUri}` };
  return /^postgres(ql)?:/i.test(text) ? parseUri(text) : undefined;
}

/** A pair in an ADO.NET list. The value can be quoted. */
const adoPair = /([^=;]+)=\s*("(?:[^"]|"")*"|'(?:[^']|'')*'|[^;]*?)\s*(?:;|$)/g;
/** A pair in a libpq list. The value can be quoted. */
const libpqPair = /(\w+)\s*=\s*('(?:[^'\\]|\\.)*'|(?:[^\s\\]|\\.)+)(?:\s+|$)/gs;
/** An ADO.NET list: its first pair ends with a semicolon, whereas the first pair of a libpq list ends before the next name. */
const adoList = /^[^=;]+=(?![^;]*\s\w+\s*=)[^;]*;/;

/** Maps ADO.NET parameter names to libpq names. */
const libpqNames: Readonly<Record<string, string>> = {
  server: 'host',
  database: 'dbname',
  'user id': 'user',
  username: 'user',
  'ssl mode': 'sslmode',
  'application name': 'application_name',
};

/** Parses a `key=value` list whose pairs are separated by spaces or semicolons. */
function parseKeyValueList(list: string): ParsedPostgresqlUrl | Problem {
  const [pair, unquote] = adoList.test(list)
    ? ([adoPair, unquoteAdo] as const)
    : ([libpqPair, unquoteLibpq] as const);
  // The message must not quote the remaining text, which can be the end of a password.
  if (/[^\s;]/.test(list.replaceAll(pair, '')))
    return {
      problem:
        'must be a list of key=value pairs, with quotes around values that contain spaces or semicolons',
    };
  const parameters = [...list.matchAll(pair)].map(([, key = '', value = '']): [string, string] => {
    const name = key.trim().toLowerCase();
    return [libpqNames[name] ?? name, unquote(value)];
  });
  // ADO.NET's "Trust Server Certificate" is redundant, because sslmode determines whether the certificate is verified.
  const used = parameters.filter(([name]) => name !== 'trust server certificate');
  return parseUri(`postgresql:///?${new URLSearchParams(used)}`);
}

/** Removes the quotes around an ADO.NET value. Quotes inside the value are doubled. */
function unquoteAdo(text: string): string {
  const quote = ['"', "'"].find((mark) => text.length > 1 && text.startsWith(mark) && text.endsWith(mark));
  return quote === undefined ? text : text.slice(1, -1).replaceAll(quote + quote, quote);
}

/** Removes the quotes around a libpq value, and its backslashes. A backslash can escape any character, even in an unquoted value. */
function unquoteLibpq(text: string): string {
  return text.replace(/^'(.*)'$/s, '$1').replaceAll(/\\(.)/gs, '$1');
}

function parseUri(text: string): ParsedPostgresqlUrl | Problem {
  if (placeholder.test(text)) return { problem: 'contains a placeholder: replace it with the password' };
  if (hostList.test(text)) return { problem: oneHost };
  // The URL parser requires a host, but a URI for a Unix socket names its host only in a parameter.
  const uri = /[?&]host=/.test(text) ? text.replace(/^(\w+:\/\/[^/?#]*@)([/?])/, '$1localhost$2') : text;
  if (!URL.canParse(uri) || !isDecodable(uri))
    return { problem: /^\w+:\/\/[^/?#]*@[/?]/.test(uri) ? 'must name a host' : notUri };
  const url = new URL(uri);
  if (url.hash !== '' || url.pathname.includes('@')) return { problem: notUri };
  const location = readLocation(url);
  const isSuspect = 'problem' in location || location.warnings.length > 0;
  return isSuspect && lateUserInfo.test(text) ? { problem: notUri } : location;
}

/** Checks whether every % begins a valid escape sequence, as the driver requires. */
function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** The parameters that the driver or the service uses. */
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
/** Parameters that need no warning, because the service detects poolers and always uses UTF-8, or because they have no effect. */
const silentlyIgnored = ['pgbouncer', 'sslcompression', 'client_encoding', 'fallback_application_name'];

const ownTimeouts = 'the service uses its own timeouts and DATABASE_STATEMENT_TIMEOUT_MS';
/** Maps parameters that the service ignores with a warning to the replacement that the warning names. */
const ignoredWithWarning = new Map<string, string>(
  Object.entries({
    connection_limit: 'DATABASE_POOL_SIZE is used',
    pool_timeout: ownTimeouts,
    connect_timeout: ownTimeouts,
    socket_timeout: ownTimeouts,
    statement_timeout: ownTimeouts,
    hostaddr: 'the service connects to the host instead',
    sslsni: 'the host name is always sent',
    ssl_max_protocol_version: 'TLS 1.3 is used if the server supports it',
  }),
);

/**
 * Maps parameters that would be unsafe to ignore to advice for the message that rejects them. Some parameters have harmless values, which the
 * service ignores.
 */
const unsafeToIgnore = new Map<string, readonly [advice: string, harmless?: RegExp]>(
  Object.entries({
    target_session_attrs: ['remove it, and connect to the primary', /^(any|read-write|primary)$/],
    gssencmode: ['remove it, and use sslmode=verify-full for encryption', /^(disable|prefer)$/],
    ssl_min_protocol_version: [
      'remove it, and set the minimum version on the server (the service uses TLS 1.2 or later)',
      /^TLSv1(\.[0-2])?$/i,
    ],
    require_auth: ['remove it, and require the authentication method on the server'],
    sslcrl: ['remove it, because the service does not check for revoked certificates'],
    sslcrldir: ['remove it, because the service does not check for revoked certificates'],
    sslidentity: ['use sslcert and sslkey (PEM files) instead'],
    sslpassword: ['remove it, and set sslkey to a key without a password'],
    passfile: ['set DATABASE_PASSWORD_FILE instead'],
    service: ['put the host, user, and database in the URI'],
  }),
);
/** An unknown parameter that seems to be about security, such as a misspelled one. */
const securityRelated = /ssl|tls|cert|auth|gss|krb|bind/i;

/** A parameter inside the value of another parameter, because something other than `&` separates them. */
const nestedParameter = new RegExp(`\\b(${usedParameters.join('|')})=`);
/** A name that needs no quotes in SQL, so that Prisma's tools, psql, and this service interpret the name the same way. */
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
    const [advice, harmless] = unsafeToIgnore.get(name) ?? [];
    const replacement = ignoredWithWarning.get(name);
    const isIgnored = replacement !== undefined || silentlyIgnored.includes(name);
    const isUnknown = advice === undefined && !isIgnored;
    const canBeIgnored = isIgnored || harmless?.test(value) || (isUnknown && !securityRelated.test(name));
    const shortName = shorten(name);
    if (!/^\w[\w.-]*( \w+)*$/.test(name) || !canBeIgnored)
      return {
        problem: `contains the parameter ${shortName}: ${advice ?? 'it is not supported, so remove it'}`,
      };
    searchParams.delete(name);
    if (replacement !== undefined) warnings.push(`${shortName} is ignored: ${replacement}.`);
    else if (isUnknown) warnings.push(`${shortName} is not a known parameter and is ignored.`);
  }
  const names = [...searchParams.keys()];
  const values = [...searchParams].filter(([name]) => name !== 'options').map(([, value]) => value);
  if ([url.pathname, ...values].some((value) => nestedParameter.test(value)))
    return { problem: 'must separate its parameters with &, as in ?sslmode=verify-full&schema=plant_store' };
  const duplicate = names.find((name, index) => names.indexOf(name) < index);
  if (duplicate !== undefined) return { problem: `contains the parameter ${duplicate} twice` };
  if (!/^\/[^/]+$/.test(url.pathname))
    return { problem: 'must end with the name of a database, as in //host/plant_store' };
  if (url.hostname === '' && !searchParams.has('host')) return { problem: 'must name a host' };
  const searchPath = /(?:^|\s)(?:-c\s*|--)search_path=(\S+)/.exec(searchParams.get('options') ?? '')?.[1];
  const schema = searchParams.get('schema') ?? searchPath ?? 'public';
  if (!schemaName.test(schema)) {
    return {
      problem:
        'must name a schema that consists of lowercase letters, digits, and _, and does not start with a digit',
    };
  }
  searchParams.delete('schema');
  return { engine: 'postgresql', url: url.href, schema, warnings };
}

/** Moves the host, port, user, password, and database from parameters, where libpq also accepts them, into the URL's authority and path. */
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
    // The hostname setter ignores an invalid host, so the driver would connect to a different host.
    if (!hostname || href !== `postgresql://${hostname}`)
      return {
        problem:
          'must specify a host name or IP address in the parameter host, and the port number in the parameter port',
      };
    url.hostname = hostname;
  }
  const [user, password, port, database] = ['user', 'password', 'port', 'dbname'].map(take);
  if (url.hostname === '' && [user, password, port].some(Boolean)) url.hostname = 'localhost';
  if (user) url.username = encodeURIComponent(user);
  if (password) url.password = encodeURIComponent(password);
  if (port) url.port = port;
  if (port && url.port !== port) return { problem: 'must have a port number no greater than 65535' };
  if (database) url.pathname = encodeURIComponent(database);
  return undefined;
}

/** The TLS modes by their libpq names, from weakest to strongest. */
const modes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full'];
/** Maps other names for TLS modes to the libpq names. */
const modeAliases: Readonly<Record<string, string>> = {
  allow: 'prefer',
  'no-verify': 'require',
  verifyca: 'verify-ca',
  verifyfull: 'verify-full',
  // node-postgres and JDBC use these values, and verify the certificate if TLS is on.
  true: 'verify-full',
  '1': 'verify-full',
  false: 'disable',
  '0': 'disable',
  // Prisma uses these values.
  strict: 'verify-full',
  accept_invalid_certs: 'prefer',
};

/** Sets the URI's `sslmode` to the strongest TLS mode that any parameter requests. */
function readTls({ searchParams, hostname }: URL): { readonly warnings: readonly string[] } | Problem {
  const requested = ['sslmode', 'ssl', 'sslaccept'].flatMap((name) =>
    searchParams.getAll(name).map((value) => [`${name}=${value}`, value.toLowerCase()] as const),
  );
  const demands = requested.map(([shown, value]) => ({ shown, mode: modeAliases[value] ?? value }));
  const unknown = demands.find(({ mode }) => !modes.includes(mode));
  if (unknown !== undefined) return { problem: `must set sslmode to one of ${modes.join(', ')}` };
  const hasBinding = searchParams.get('channel_binding') === 'require';
  if (hasBinding) demands.push({ shown: 'channel_binding=require', mode: 'verify-full' });
  if (searchParams.get('sslrootcert') === 'system') {
    // `system` means the certificate authorities that Node.js trusts. The driver would look for a file named `system`.
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
      problem:
        'must set both sslcert and sslkey for a client certificate, or neither; sslrootcert is for the CA certificate',
    };

  const sslModes = searchParams.getAll('sslmode');
  if (sslModes.length > 1) return { problem: 'contains the parameter sslmode twice' };
  const isLocal = searchParams.has('host') || isLoopback(hostname);
  const hasFiles = ['sslrootcert', 'sslcert'].some((name) => searchParams.has(name));
  // With certificate files, the driver verifies the certificate by default. Without them, `prefer` is the default of libpq and most clients.
  const mode = strongest?.mode ?? (hasFiles || isLocal ? undefined : 'prefer');
  if (mode === 'verify-ca' && !searchParams.has('sslrootcert'))
    return { problem: 'must set sslrootcert to the CA certificate file for sslmode=verify-ca' };
  for (const name of ['ssl', 'sslaccept', 'channel_binding', 'uselibpqcompat']) searchParams.delete(name);
  if (searchParams.get('sslnegotiation') === 'postgres') searchParams.delete('sslnegotiation');
  if (mode !== undefined) {
    searchParams.set('sslmode', mode);
    // Without `uselibpqcompat`, the driver treats every mode except `disable` as `verify-full`.
    searchParams.set('uselibpqcompat', 'true');
  }
  const isStrengthened = hasBinding && !demands.some(({ shown }) => shown === 'sslmode=verify-full');
  const warning = 'channel_binding=require becomes sslmode=verify-full, which also verifies the server.';
  return { warnings: isStrengthened ? [warning] : [] };
}
