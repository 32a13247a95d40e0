import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createDatabase, query } from '@plant-store/postgresql-server';
import pg from 'pg';
import { expect, inject, it } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { parseConfig } from '../config.js';

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
    const client = new pg.Client(database.engine === 'postgresql' ? database.url : '');
    await client.connect();
    await client.end();
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

it('reports a file that cannot be read, and a relative path', () => {
  const url = 'postgresql://ada@db/plants';
  expect(() => parseDatabase(url, '/nowhere/password')).toThrow(
    "\n  DATABASE_PASSWORD_FILE cannot be read: ENOENT: no such file or directory, open '/nowhere/password'\n",
  );
  expect(() => parseDatabase(url, 'password')).toThrow(
    '\n  DATABASE_PASSWORD_FILE must be the absolute path of a file with the password\n',
  );
});

it('reports all other invalid variables before it', () => {
  expect(() => parseConfig({ PORT: 'x', DATABASE_PASSWORD_FILE: '/nowhere' }, '/srv')).toThrow(
    '\n  PORT must be',
  );
});
