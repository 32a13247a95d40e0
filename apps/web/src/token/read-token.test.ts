import { expect, it } from 'vitest';
import { readToken } from './read-token.js';

const token = `pst_${'0'.repeat(42)}72YDVwp`;
const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln-_';

it.each([
  token,
  `  ${token}\r\n`,
  `${token.slice(0, 20)}\n${token.slice(20)}`,
  `Bearer ${token}`,
  `bearer  ${token} `,
])('reads %j', (text) => {
  expect(readToken(text)).toEqual({ token });
});

it('reads a JSON Web Token by its form alone', () => {
  expect(readToken(` ${jwt}\n`)).toEqual({ token: jwt });
});

it.each(['', ' \n', 'Bearer '])('asks for a token where there is none: %j', (text) => {
  expect(readToken(text)).toEqual({ problem: 'Paste your access token.' });
});

it.each([token.slice(0, -1), `${token}0`, token.replace('72YDVwp', '72YDVwq'), 'pst_'])(
  'detects that %j is not complete, or mistyped',
  (text) => {
    expect(readToken(text)).toEqual({ problem: expect.stringContaining('not complete, or mistyped') });
  },
);

it.each(['hello', token.replace('pst_', 'PST_'), `${jwt}.x`, jwt.replaceAll('.', ''), 'a.b.ä'])(
  'detects that %j is no token',
  (text) => {
    expect(readToken(text)).toEqual({ problem: expect.stringContaining('no access token') });
  },
);
