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
  [
    'postgresql://u:p@host/plants?sslmode=prefer',
    'must have one of disable, require, verify-ca, verify-full',
  ],
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

it('accepts a comma in the password and in the name of the database', () => {
  const url = 'postgresql://u,v:p,q@host:5432/plants,garden';
  expect(parseDatabaseUrl(url)).toEqual({ engine: 'postgresql', url, schema: 'public' });
});

it.each(['postgresql:///plants', 'postgresql://u:p@localhost/plants'])('accepts a socket: %s', (base) => {
  const url = `${base}?host=%2Fvar%2Frun%2Fpostgresql`;
  expect(parseDatabaseUrl(url)).toEqual({ engine: 'postgresql', url, schema: 'public' });
});

describe('a password in a file', () => {
  /** Writes a file with this content, and returns its path. */
  function writePassword(content: string): string {
    const file = join(temporaryFolder(), 'password');
    writeFileSync(file, content);
    return file;
  }

  function parseDatabase(DATABASE_URL: string, DATABASE_PASSWORD_FILE: string) {
    return parseConfig({ DATABASE_URL, DATABASE_PASSWORD_FILE }, '/srv').database;
  }

  it.each(['s3cret', 's3cret\n', 's3cret\r\n'])('takes the password from a file that holds %j', (content) => {
    const url = 'postgresql://ada@db.example/plants?schema=garden&sslmode=require';
    expect(parseDatabase(url, writePassword(content))).toMatchObject({
      url: 'postgresql://ada:s3cret@db.example/plants?sslmode=require&uselibpqcompat=true',
      schema: 'garden',
    });
  });

  it('opens a database with a password of any characters', async () => {
    const password = ` %40'":/?#[]@\\ %zz ü日 `;
    const serverUrl = inject('postgresqlUrl');
    const role = `reader_${process.pid}`;
    await query(`${serverUrl}/postgres`, `CREATE ROLE ${role} LOGIN PASSWORD ${pg.escapeLiteral(password)}`);
    const url = Object.assign(new URL(await createDatabase(serverUrl)), { username: role, password: '' });
    const connect = async (content: string) => {
      const database = parseDatabase(url.href, writePassword(content));
      await withConnection(
        { connectionString: database.engine === 'postgresql' ? database.url : '' },
        async () => {},
      );
    };
    await connect(`${password}\n`);
    await expect(connect(`${password}x`)).rejects.toThrow('password authentication failed');
  });

  it.each([
    ['file:/srv/a.db', 's3cret', 'is only for a PostgreSQL DATABASE_URL'],
    [
      'postgresql://ada:known@db/plants',
      's3cret',
      'is set, but DATABASE_URL has a password: remove one of them',
    ],
    ['postgresql://db/plants', 's3cret', 'needs a user and a host in DATABASE_URL, as in postgresql://user@'],
    ['postgresql:///plants?host=/run/pg', 's3cret', 'needs a user and a host in DATABASE_URL'],
    ['postgresql://ada@db/plants', '', 'must be a file with one line, the password; /'],
    ['postgresql://ada@db/plants', '\n', 'must be a file with one line, the password; /'],
    ['postgresql://ada@db/plants', 's3cret\n\n', 'must be a file with one line, the password; /'],
  ])('with %s and a file that holds %j reports that it %s', (url, content, problem) => {
    const parse = () => parseDatabase(url, writePassword(content));
    expect(parse).toThrow(`\n  DATABASE_PASSWORD_FILE ${problem}`);
    expect(parse).not.toThrow('s3cret');
  });

  it.each([
    ['/nowhere/password', "cannot be read: ENOENT: no such file or directory, open '/nowhere/password'"],
    ['password', 'must be the absolute path of a file with the password'],
  ])('reports that %s %s', (file, problem) => {
    expect(() => parseDatabase('postgresql://ada@db/plants', file)).toThrow(
      `\n  DATABASE_PASSWORD_FILE ${problem}\n`,
    );
  });

  it('reports all other invalid variables before it', () => {
    expect(() => parseConfig({ PORT: 'x', DATABASE_PASSWORD_FILE: '/nowhere' }, '/srv')).toThrow(
      '\n  PORT must be',
    );
  });
});
