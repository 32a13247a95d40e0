import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabase, query } from '@plant-store/postgresql-server';
import pg from 'pg';
import { describe, expect, inject, it } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { parseConfig } from '../config.js';
import { parseDatabaseUrl } from './database-location.js';
import { withConnection } from './postgresql/connection.js';

it.each([
  ['postgresql://u:p@host/plants?sslmode=verify-ca', 'must set sslrootcert to the CA certificate file'],
  ['postgresql://u:p@host/', 'must end with the name of a database'],
  ['postgresql://u:p@host/a/b', 'must end with the name of a database'],
  ['postgresql:///plants', 'must name a host'],
  [
    'postgresql://u:p@host/plants?schema=my%20garden',
    'must name a schema that consists of lowercase letters',
  ],
  ['postgresql://u:p@host:port/plants', 'is not a valid URI'],
  ['postgresql://u:100%safe@host/plants', 'is not a valid URI'],
  ['postgresql://u:p@host/100%', 'is not a valid URI'],
  ['postgresql://u:123?safe@host/plants', 'is not a valid URI'],
  ['postgresql://u:123?safe#1@host/plants', 'is not a valid URI'],
  ['postgresql://u:123#safe@host/plants', 'is not a valid URI'],
  ['postgresql://u:123/safe@host/plants', 'is not a valid URI'],
  [
    'postgresql://u:p@host/plants?sslmode=require&sslmode=disable',
    'requests TLS with sslmode=require but disables it with sslmode=disable',
  ],
  ['postgresql://u:p@host/plants?application_name=a;sslmode=require', 'must separate its parameters with &'],
  ['postgresql://u:p@host/plants?application_name=a,schema=b', 'must separate its parameters with &'],
  ['postgresql://u:p@host/plants?application_name=a?sslmode=require', 'must separate its parameters with &'],
  ['postgresql://u:p@host/plants&sslmode=require', 'must separate its parameters with &'],
  ['postgresql://u:p@a,b/plants', 'must name one host, not a list: for failover, use a proxy'],
  ['postgresql://a,b/plants', 'must name one host'],
  ['postgresql://u:p@[::1],b/plants', 'must name one host'],
  ['postgresql://u:p@a%2Cb/plants', 'must name one host'],
  ['postgresql:///plants?host=a,b', 'must name one host'],
  [
    'postgresql:///plants?user=u&host=db.example.com:5433',
    'must specify a host name or IP address in the parameter host',
  ],
  [
    'postgresql://localhost/plants?host=db.example.com/x',
    'must specify a host name or IP address in the parameter host',
  ],
  [
    "host='my db' dbname=plants user=u password=safe",
    'must specify a host name or IP address in the parameter host',
  ],
  ['host=db port=99999 dbname=plants', 'must have a port number no greater than 65535'],
  ['host=db dbname=plants user=u password=un safe', 'must be a list of key=value pairs, with quotes'],
  ['Host=db;Database=plants;Username=u;Password=un;safe', 'must be a list of key=value pairs, with quotes'],
  ['postgresql://u:p@/plants', 'must name a host'],
  ['postgresql://u:[YOUR-PASSWORD]@host/plants', 'contains a placeholder: replace it with the password'],
  ['postgresql://u:{your_password}@host/plants', 'contains a placeholder'],
  ['postgresql://u:123/safe?a=1@host/plants', 'is not a valid URI'],
  ['postgresql://u:p@a/plants?host=%2Frun%2Fa%2C%2Frun%2Fb', 'must name one host'],
  ['mysql://u:p@host/plants', 'must be file: followed by the path of a SQLite file'],
  ['plants.db', 'must be file: followed by the path of a SQLite file'],
  ['sqlite:./dev.db', 'must begin with file: instead of sqlite:'],
  ['file::memory:', 'must be a file on disk'],
  ['file:dev.db?mode=memory&cache=shared', 'must be a file on disk'],
  ['file:dev.db?mode=ro', 'must be a file on disk that the service can write to'],
  ['file:~/dev.db', 'must contain the full path instead of ~'],
  ['file://data/dev.db', 'must be file: followed by a relative path, or by'],
  ['file:', 'must be file: followed by the path of a SQLite file'],
])('rejects %s, and never quotes the password', (url, problem) => {
  const parsed = parseDatabaseUrl(url);
  expect(parsed).toEqual({ problem: expect.stringContaining(problem) });
  expect(JSON.stringify(parsed)).not.toMatch(/:p@|safe/);
});

it.each([
  'postgresql://u,v:p,q@host:5432/plants,garden',
  'postgresql:///plants?host=%2Fvar%2Frun%2Fpostgresql',
  'postgresql://u:p@localhost/plants?host=%2Fvar%2Frun%2Fpostgresql',
])('accepts a comma in the password and in the name of the database, and a socket: %s', (url) => {
  const mode = url.includes('@host') ? '?sslmode=prefer&uselibpqcompat=true' : '';
  expect(parseDatabaseUrl(url)).toMatchObject({ engine: 'postgresql', url: url + mode, schema: 'public' });
});

/** Connection strings as providers and tools print them. The effect is the `sslmode` or the path, and warnings, or the problem. */
const strings: readonly (readonly [source: string, text: string, effect: string])[] = [
  [
    'Neon',
    'postgresql://ada:secret@ep-cool-sun-123456-pooler.eu-central-1.aws.neon.tech/plants?sslmode=require&channel_binding=require',
    'verify-full. channel_binding=require becomes sslmode=verify-full, which also verifies the server.',
  ],
  [
    'Neon, for psql',
    "psql 'postgresql://ada:secret@ep-cool-sun-123456.eu-central-1.aws.neon.tech/plants?sslmode=require'",
    'require',
  ],
  [
    'Neon, without SNI',
    'postgresql://ada:secret@ep-cool-sun-123456.eu-central-1.aws.neon.tech/plants?sslmode=require&options=endpoint%3Dep-cool-sun-123456',
    'require',
  ],
  [
    'Supabase, for Prisma',
    'postgresql://postgres.abcdefgh:secret@aws-0-eu-central-1.pooler.supabase.com:6543/postgres?pgbouncer=true&connection_limit=1',
    'prefer. connection_limit is ignored: DATABASE_POOL_SIZE is used.',
  ],
  [
    'Supabase, by Vercel',
    'postgres://postgres.abcdefgh:secret@aws-0-eu-central-1.pooler.supabase.com:6543/postgres?sslmode=require&supa=base-pooler.x',
    'require. supa is not a known parameter and is ignored.',
  ],
  [
    'Supabase, Amazon RDS, Railway, Render, Crunchy Bridge, Heroku',
    'postgres://ada:secret@plants.abc123.eu-central-1.rds.amazonaws.com:5432/plants',
    'prefer',
  ],
  [
    'Amazon RDS, verified',
    'postgresql://ada:secret@plants.abc123.eu-central-1.rds.amazonaws.com:5432/plants?sslmode=verify-full&sslrootcert=/etc/ssl/global-bundle.pem',
    'verify-full',
  ],
  [
    'Azure, for psql',
    'host=plants.postgres.database.azure.com port=5432 dbname=postgres user=ada password=secret sslmode=require',
    'require',
  ],
  [
    'Azure, for ADO.NET',
    'Server=plants.postgres.database.azure.com;Database=postgres;Port=5432;User Id=ada;Password=secret;Ssl Mode=Require;',
    'require',
  ],
  [
    'Azure, for JDBC',
    'jdbc:postgresql://plants.postgres.database.azure.com:5432/postgres?user=ada&password=secret&sslmode=require',
    'is a JDBC URL: rewrite it as a URI, such as postgresql://user:password@host:5432/plant_store',
  ],
  ['Google Cloud SQL', 'postgresql://ada:secret@/plants?host=/cloudsql/garden:europe-west1:plants', 'none'],
  ['Fly.io', 'postgres://ada:secret@plants-db.flycast:5432/plants?sslmode=disable', 'disable'],
  [
    'PlanetScale',
    'postgresql://ada:secret@eu.pg.psdb.cloud:5432/postgres?sslmode=verify-full&sslrootcert=system',
    'verify-full',
  ],
  [
    "Prisma's documentation",
    'postgresql://ada:secret@db.example.com:5432/plants?schema=public&connection_limit=5&pool_timeout=10&sslmode=require&sslaccept=strict',
    'verify-full. connection_limit is ignored: DATABASE_POOL_SIZE is used. pool_timeout is ignored: the service uses its own timeouts and DATABASE_STATEMENT_TIMEOUT_MS.',
  ],
  [
    'Prisma Accelerate',
    'prisma+postgres://accelerate.prisma-data.net/?api_key=secret',
    "is for Prisma's hosted service: use the direct connection string from the Prisma console, such as postgresql://user:password@host:5432/plant_store",
  ],
  ['node-postgres', 'postgresql://ada:secret@db.example.com/plants?ssl=true', 'verify-full'],
  [
    'SQLAlchemy',
    'postgresql+psycopg://ada:secret@db.example.com/plants',
    'includes a driver name after postgresql: remove the driver, as in postgresql://user:password@host:5432/plant_store',
  ],
  ['Docker, with quotes', '"postgresql://ada:secret@db:5432/plants"', 'prefer'],
  ['Prisma, SQLite', 'file:./dev.db', './dev.db'],
  [
    'Prisma, SQLite, with parameters',
    'file:./dev.db?connection_limit=1&socket_timeout=10',
    './dev.db. connection_limit is ignored: the service uses its own settings. socket_timeout is ignored: the service uses its own settings.',
  ],
  ['An absolute path, as a URL', 'file:///srv/plants.db', '/srv/plants.db'],
];

it.each(strings)('takes the string of %s', (_, text, effect) => {
  const parsed = parseDatabaseUrl(text);
  if ('problem' in parsed) return expect(parsed.problem).toBe(effect);
  const used = 'url' in parsed ? (new URL(parsed.url).searchParams.get('sslmode') ?? 'none') : parsed.path;
  expect([used, parsed.warnings.join(' ')].filter(Boolean).join('. ')).toBe(effect);
});

it.each([
  ['postgresql://u:p@h/db?sslmode=require', 'postgresql://u:p@h/db?sslmode=require&uselibpqcompat=true'],
  ['postgresql://u:p@localhost/db', 'postgresql://u:p@localhost/db'],
  ['postgresql://u:p@[::1]/db', 'postgresql://u:p@[::1]/db'],
  ['postgresql://u:p@h/db?sslrootcert=/ca.pem', 'postgresql://u:p@h/db?sslrootcert=%2Fca.pem'],
  [
    'postgresql:///db?user=u&password=a%2Fb&host=h&port=5433&sslmode=disable',
    'postgresql://u:a%2Fb@h:5433/db?sslmode=disable&uselibpqcompat=true',
  ],
  ['postgresql://u:p@/db?host=/cloudsql/a:b:c', 'postgresql://u:p@localhost/db?host=%2Fcloudsql%2Fa%3Ab%3Ac'],
  [`host=localhost dbname='my db' user=u password='a\\' b'`, `postgresql://u:a'%20b@localhost/my%20db`],
  [
    'postgresql://u:p:a@b!$&()*+,;=[]|~@localhost/db',
    'postgresql://u:p%3Aa%40b!$&()*+,%3B%3D%5B%5D%7C~@localhost/db',
  ],
  ["host=localhost dbname=db user=u password='a;b=c'", 'postgresql://u:a%3Bb%3Dc@localhost/db'],
  ['host=localhost dbname=db user=u password=a;b', 'postgresql://u:a%3Bb@localhost/db'],
  ['Host=localhost;Database=db;Username=u;Password="a;""b"', 'postgresql://u:a%3B%22b@localhost/db'],
  [String.raw`Host=localhost;Database=db;Username=u;Password=a\b`, 'postgresql://u:a%5Cb@localhost/db'],
  ['host=::1 dbname=db user=u password=p', 'postgresql://u:p@[::1]/db'],
  ['postgresql://u:p@h/db?host=localhost', 'postgresql://u:p@localhost/db'],
  [' "postgresql://u:p@localhost/db"\n', 'postgresql://u:p@localhost/db'],
  ["DATABASE_URL='postgresql://u:p@localhost/db';", 'postgresql://u:p@localhost/db'],
])('gives the driver %s as %s', (text, url) => {
  expect(parseDatabaseUrl(text)).toEqual({ engine: 'postgresql', url, schema: 'public', warnings: [] });
});

it.each([
  ['schema=garden', 'garden'],
  ['search_path=garden', 'garden'],
  ['currentSchema=garden&schema=yard', 'yard'],
  ['options=-c%20search_path%3Dgarden%20-c%20geqo%3Doff', 'garden'],
  ['options=endpoint%3Dep-x', 'public'],
])('finds the schema in %s', (parameters, schema) => {
  expect(parseDatabaseUrl(`postgresql://u:p@localhost/db?${parameters}`)).toMatchObject({ schema });
});

it.each([
  [
    'sslmode=disable&channel_binding=require',
    'requests TLS with channel_binding=require but disables it with',
  ],
  [
    'sslmode=disable&sslaccept=strict',
    'requests TLS with sslaccept=strict but disables it with sslmode=disable',
  ],
  ['sslmode=disable&sslrootcert=system', 'requests TLS with sslrootcert=system'],
  ['ssl=false&sslnegotiation=direct', 'requests TLS with sslnegotiation=direct'],
  ['sslmode=secure', 'must set sslmode to one of disable, prefer, require, verify-ca, verify-full'],
  ['SSLMODE=verify-full', 'contains the parameter SSLMODE: it is not supported, so remove it'],
  ['sslmod=verify-full', 'contains the parameter sslmod: it is not supported'],
  [
    'sslcert=server-ca.pem',
    'must set both sslcert and sslkey for a client certificate, or neither; sslrootcert is for the CA certificate',
  ],
  ['sslidentity=client.p12&sslpassword=x', 'contains the parameter sslidentity: use sslcert and sslkey'],
  ['sslcrl=crl.pem', 'contains the parameter sslcrl: remove it'],
  ['ssl_min_protocol_version=TLSv1.3', 'contains the parameter ssl_min_protocol_version: remove it'],
  ['require_auth=scram-sha-256', 'contains the parameter require_auth: remove it'],
  ['gssencmode=require', 'contains the parameter gssencmode: remove it'],
  [
    'target_session_attrs=standby',
    'contains the parameter target_session_attrs: remove it, and connect to the primary',
  ],
  ['service=plants', 'contains the parameter service: put the host, user, and database'],
  ['passfile=/run/pass', 'contains the parameter passfile: set DATABASE_PASSWORD_FILE instead'],
])('rejects %s instead of weakening it', (parameters, problem) => {
  const parsed = parseDatabaseUrl(`postgresql://u:p@host/db?${parameters}`);
  expect(parsed).toEqual({ problem: expect.stringContaining(problem) });
});

it.each([
  'sslmode=require&sslaccept=strict',
  'sslmode=prefer&ssl=true',
  'sslmode=require&channel_binding=require',
  'sslmode=require&sslrootcert=system',
  'ssl=1',
])('checks the certificate and the host with %s', (parameters) => {
  const parsed = parseDatabaseUrl(`postgresql://u:p@host/db?${parameters}`);
  expect('url' in parsed && new URL(parsed.url).searchParams.get('sslmode')).toBe('verify-full');
});

it.each([
  'pgbouncer=true&target_session_attrs=read-write&gssencmode=prefer&channel_binding=prefer',
  'sslmode=&connect_timeout=&ssl_min_protocol_version=TLSv1.2&client_encoding=UTF8',
])('does not warn about settings without effect: %s', (parameters) => {
  const url = 'postgresql://u:p@localhost/db';
  expect(parseDatabaseUrl(`${url}?${parameters}`)).toMatchObject({ url, warnings: [] });
});

it('warns in the settings, without values', () => {
  const { warnings, database } = parseConfig(
    { DATABASE_URL: 'postgresql://u:p@h/db?x=secret&connect_timeout=9&constructor=1' },
    '/',
  );
  const reason =
    'x is not a known parameter and is ignored. connect_timeout is ignored: the service uses its own timeouts and DATABASE_STATEMENT_TIMEOUT_MS. constructor is not a known parameter and is ignored.';
  expect(warnings).toEqual([{ variable: 'DATABASE_URL', reason }]);
  expect(database).not.toHaveProperty('warnings');
});

describe('a password in a file', () => {
  /** Parses the settings with a file with this content. */
  function parse(DATABASE_URL: string, content: string) {
    const DATABASE_PASSWORD_FILE = join(temporaryFolder(), 'password');
    writeFileSync(DATABASE_PASSWORD_FILE, content);
    return parseConfig({ DATABASE_URL, DATABASE_PASSWORD_FILE }, '/srv').database;
  }

  it.each(['s3cret', 's3cret\n', 's3cret\r\n', '\uFEFFs3cret\r\n'])(
    'is taken from one that holds %j',
    (content) => {
      expect(
        parse('postgresql://ada@db.example/plants?schema=garden&sslmode=require', content),
      ).toMatchObject({
        url: 'postgresql://ada:s3cret@db.example/plants?sslmode=require&uselibpqcompat=true',
        schema: 'garden',
      });
    },
  );

  it('opens a database with any characters', async () => {
    const password = ` %40'":/?#[]@\\ %zz ü日 `;
    const serverUrl = inject('postgresqlUrl');
    const role = `reader_${process.pid}`;
    await query(`${serverUrl}/postgres`, `CREATE ROLE ${role} LOGIN PASSWORD ${pg.escapeLiteral(password)}`);
    const url = Object.assign(new URL(await createDatabase(serverUrl)), { username: role, password: '' });
    async function connect(content: string) {
      const database = parse(url.href, content);
      const connectionString = database.engine === 'postgresql' ? database.url : '';
      await withConnection({ connectionString }, async () => {});
    }
    await connect(`${password}\n`);
    await expect(connect(`${password}x`)).rejects.toThrow('password authentication failed');
  });

  it.each([
    ['file:/srv/a.db', 's3cret', 'works only with a PostgreSQL DATABASE_URL'],
    [
      'postgresql://ada:known@db/plants',
      's3cret',
      'is set, but DATABASE_URL also contains a password: remove one of',
    ],
    [
      'postgresql://db/plants',
      's3cret',
      'requires a user and a host in DATABASE_URL, as in postgresql://user@',
    ],
    ['postgresql:///plants?host=/run/pg', 's3cret', 'requires a user and a host in DATABASE_URL'],
    [
      'postgresql://ada@db/plants',
      '',
      'must name a file that contains only the password, on one line, unlike /',
    ],
    [
      'postgresql://ada@db/plants',
      '\n',
      'must name a file that contains only the password, on one line, unlike /',
    ],
    [
      'postgresql://ada@db/plants',
      's3cret\n\n',
      'must name a file that contains only the password, on one line, unlike /',
    ],
  ])('with %s and a file that holds %j reports that it %s', (url, content, problem) => {
    expect(() => parse(url, content)).toThrow(`\n  DATABASE_PASSWORD_FILE ${problem}`);
    expect(() => parse(url, content)).not.toThrow('s3cret');
  });

  it.each([
    ['/nowhere', {}, "_FILE cannot be read: ENOENT: no such file or directory, open '/nowhere'"],
    ['password', {}, '_FILE must be the absolute path of a file that contains the password'],
    ['/nowhere', { PORT: 'x' }, 'PORT must be'],
  ])('reports what is wrong with %s, and all other settings before it: %j', (file, others, problem) => {
    const DATABASE_URL = 'postgresql://ada@db/plants';
    const settings = { DATABASE_URL, DATABASE_PASSWORD_FILE: file, ...others };
    expect(() => parseConfig(settings, '/srv')).toThrow(problem);
  });
});
