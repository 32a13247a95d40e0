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
  [
    'postgresql://u:p@host/plants?connection_limit=5',
    'has the parameter connection_limit: set DATABASE_POOL_SIZE',
  ],
  ['postgresql://u:p@host/plants?sslmode=prefer', 'have one of disable, require, verify-ca, verify-full'],
  ['postgresql://u:p@host/plants?sslmode=verify-ca', 'needs sslrootcert'],
  ['postgresql://u:p@host', 'must end in the name of a database'],
  ['postgresql://u:p@host/', 'must end in the name of a database'],
  ['postgresql://u:p@host/a/b', 'must end in the name of a database'],
  ['postgresql:///plants', 'must name a host'],
  ['postgresql://u:p@host/plants?schema=my%20garden', 'must have lower-case letters'],
  ['postgresql://u:p@host:port/plants', 'is not a URI'],
  ['postgresql://u:100%safe@host/plants', 'is not a URI'],
  ['postgresql://u:p@host/100%', 'is not a URI'],
  ['postgresql://u:123?safe@host/plants', 'is not a URI'],
  ['postgresql://u:123?safe&1@host/plants', 'is not a URI'],
  ['postgresql://u:123?safe=1@host/plants', 'is not a URI'],
  ['postgresql://u:123?safe#1@host/plants', 'is not a URI'],
  ['postgresql://u:123#safe@host/plants', 'is not a URI'],
  ['postgresql://u:123/safe#1@host/plants', 'is not a URI'],
  ['postgresql://u:123/safe@host', 'is not a URI'],
  ['postgresql://u:123/safe@host/plants', 'is not a URI'],
  ['postgresql://u:p@host/plants?sslmode=require&sslmode=disable', 'has the parameter sslmode twice'],
  ['postgresql://u:p@host/plants?application_name=a;sslmode=require', 'must separate its parameters by &'],
  ['postgresql://u:p@host/plants?application_name=a,schema=b', 'must separate its parameters by &'],
  ['postgresql://u:p@host/plants?application_name=a?sslmode=require', 'must separate its parameters by &'],
  ['postgresql://u:p@host/plants&sslmode=require', 'must separate its parameters by &'],
  ['postgresql://u:p@a,b/plants', 'must name one host, not a list: for failover let a proxy'],
  ['postgresql://u:p@a:1,b:2/plants', 'must name one host'],
  ['postgresql://a,b/plants', 'must name one host'],
  ['postgresql://u:p@[::1],b/plants', 'must name one host'],
  ['postgresql://u:p@a%2Cb/plants', 'must name one host'],
  ['postgresql:///plants?host=a,b', 'must name one host'],
  ['postgresql:///plants?host=db.example', 'must have the folder of a Unix socket as host'],
  ['postgresql://u:p@a/plants?host=%2Frun%2Fa%2C%2Frun%2Fb', 'must name one host'],
  ['mysql://u:p@host/plants', 'must be file: and the path of a SQLite file'],
  ['plants.db', 'must be file: and the path of a SQLite file'],
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
  expect(parseDatabaseUrl(url)).toEqual({ engine: 'postgresql', url, schema: 'public' });
});

/** Connection strings as providers and tools print them, of one user, and what the service makes of them. */
it.each([
  [
    'Neon',
    'postgresql://u:p@ep-x-pooler.eu.aws.neon.tech/db?sslmode=require&channel_binding=require',
    'has the parameter channel_binding: write sslmode=verify-full in place of sslmode=require&channel_binding=require',
  ],
  ['Neon, so changed', 'postgresql://u:p@ep-x.neon.tech/db?sslmode=verify-full', true],
  [
    'Neon for Prisma',
    'postgresql://u:p@ep-x.neon.tech/db?sslmode=require&connect_timeout=15',
    'has the parameter connect_timeout: remove it',
  ],
  [
    "Supabase's pooler",
    'postgresql://postgres.abc:p@aws-0-eu.pooler.supabase.com:6543/postgres?pgbouncer=true',
    'postgresql://postgres.abc:p@aws-0-eu.pooler.supabase.com:6543/postgres',
  ],
  [
    "Supabase's pooler for Prisma",
    'postgresql://postgres.abc:p@aws-0-eu.pooler.supabase.com:6543/postgres?pgbouncer=true&connection_limit=1',
    'has the parameter connection_limit: set DATABASE_POOL_SIZE in its place',
  ],
  [
    'Supabase by Vercel',
    'postgres://postgres.abc:p@aws-0.pooler.supabase.com:6543/postgres?sslmode=require&supa=base-pooler.x',
    'has the parameter supa: remove it; only sslmode, ',
  ],
  ['RDS', 'postgresql://u:p@a.b.rds.amazonaws.com:5432/db?sslmode=verify-full&sslrootcert=/ca.pem', true],
  ['Azure', 'postgresql://u:p@a.postgres.database.azure.com:5432/postgres?sslmode=require', true],
  [
    'Azure, a single server',
    'postgresql://u@a:p@a.postgres.database.azure.com/postgres?sslmode=require',
    'postgresql://u%40a:p@a.postgres.database.azure.com/postgres?sslmode=require&uselibpqcompat=true',
  ],
  [
    'Azure for psql',
    'host=a.postgres.database.azure.com port=5432 dbname=postgres user=u password=p sslmode=require',
    'is a list of key=value: write it as a URI, postgresql://user:',
  ],
  [
    'Azure for ADO.NET',
    'Server=a.postgres.database.azure.com;Database=postgres;User Id=u;Password=p',
    'is a list of key=value: write it as a URI',
  ],
  ['Render', 'postgresql://u:p@dpg-x-a.frankfurt-postgres.render.com/db', true],
  ['Heroku', 'postgres://u:p@ec2-1-2-3-4.eu-west-1.compute.amazonaws.com:5432/db', true],
  ['DigitalOcean', 'postgresql://doadmin:p@x.db.ondigitalocean.com:25060/defaultdb?sslmode=require', true],
  ['Aiven', 'postgres://avnadmin:p@x.aivencloud.com:1/defaultdb?sslmode=require', true],
  [
    'PlanetScale',
    'postgresql://u:p@eu.pg.psdb.cloud:5432/postgres?sslmode=verify-full&sslrootcert=system',
    'postgresql://u:p@eu.pg.psdb.cloud:5432/postgres?sslmode=verify-full&uselibpqcompat=true',
  ],
  ['node-postgres', 'postgresql://u:p@host/db?ssl=true', 'has the parameter ssl: write sslmode=require or'],
  [
    'node-postgres with the modes of libpq',
    'postgresql://u:p@host/db?uselibpqcompat=true&sslmode=require',
    'postgresql://u:p@host/db?sslmode=require&uselibpqcompat=true',
  ],
  ['Prisma, TLS', 'postgresql://u:p@host/db?sslaccept=strict', 'has the parameter sslaccept: write sslmode='],
  ['Prisma, pool', 'postgresql://u:p@host/db?pool_timeout=5', 'has the parameter pool_timeout: remove it'],
  ['Prisma', 'postgresql://u:p@host/db?socket_timeout=5', 'has the parameter socket_timeout: remove it'],
  ['channel binding, if possible', 'postgresql://u:p@h/db?channel_binding=prefer', 'postgresql://u:p@h/db'],
  [
    'special characters',
    'postgresql://u:p:a@b!$&()*+,;=[]|~@h/db',
    'postgresql://u:p%3Aa%40b!$&()*+,%3B%3D%5B%5D%7C~@h/db',
  ],
])('takes the string of %s, or says what to change: %s', (_, text, expected) => {
  const parsed = parseDatabaseUrl(text);
  const compatible = text.includes('sslmode=') ? '&uselibpqcompat=true' : '';
  const result = expected === true ? text.replace('=/ca', '=%2Fca') + compatible : expected;
  expect(parsed).toEqual(
    String(result).startsWith('postgres')
      ? { engine: 'postgresql', url: result, schema: 'public' }
      : { problem: expect.stringContaining(String(result)) },
  );
  if ('problem' in parsed) expect(parsed.problem).not.toMatch(/:p@|password=p\b/i);
});

describe('a password in a file', () => {
  /** Parses the settings with a file that has this content. */
  function parse(DATABASE_URL: string, content: string) {
    const DATABASE_PASSWORD_FILE = join(temporaryFolder(), 'password');
    writeFileSync(DATABASE_PASSWORD_FILE, content);
    return parseConfig({ DATABASE_URL, DATABASE_PASSWORD_FILE }, '/srv').database;
  }

  it.each(['s3cret', 's3cret\n', 's3cret\r\n'])('is taken from one that holds %j', (content) => {
    expect(parse('postgresql://ada@db.example/plants?schema=garden&sslmode=require', content)).toMatchObject({
      url: 'postgresql://ada:s3cret@db.example/plants?sslmode=require&uselibpqcompat=true',
      schema: 'garden',
    });
  });

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
    ['file:/srv/a.db', 's3cret', 'is only for a PostgreSQL DATABASE_URL'],
    ['postgresql://ada:known@db/plants', 's3cret', 'is set, but DATABASE_URL has a password: remove one of'],
    ['postgresql://db/plants', 's3cret', 'needs a user and a host in DATABASE_URL, as in postgresql://user@'],
    ['postgresql:///plants?host=/run/pg', 's3cret', 'needs a user and a host in DATABASE_URL'],
    ['postgresql://ada@db/plants', '', 'must be a file with one line, the password; /'],
    ['postgresql://ada@db/plants', '\n', 'must be a file with one line, the password; /'],
    ['postgresql://ada@db/plants', 's3cret\n\n', 'must be a file with one line, the password; /'],
  ])('with %s and a file that holds %j reports that it %s', (url, content, problem) => {
    expect(() => parse(url, content)).toThrow(`\n  DATABASE_PASSWORD_FILE ${problem}`);
    expect(() => parse(url, content)).not.toThrow('s3cret');
  });

  it.each([
    ['/nowhere', {}, "_FILE cannot be read: ENOENT: no such file or directory, open '/nowhere'"],
    ['password', {}, '_FILE must be the absolute path of a file with the password'],
    ['/nowhere', { PORT: 'x' }, 'PORT must be'],
  ])('reports what is wrong with %s, and all other settings before it: %j', (file, others, problem) => {
    const DATABASE_URL = 'postgresql://ada@db/plants';
    const settings = { DATABASE_URL, DATABASE_PASSWORD_FILE: file, ...others };
    expect(() => parseConfig(settings, '/srv')).toThrow(problem);
  });
});
