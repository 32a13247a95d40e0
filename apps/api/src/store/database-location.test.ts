import { expect, it } from 'vitest';
import { parseDatabaseUrl } from './database-location.js';

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
