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
  ['postgresql://u:p@host/plants?connection_limit=5', 'has the parameter connection_limit; only'],
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
