import { expect, it } from 'vitest';
import { readToken } from './read-token.js';

const token = `pst_${'0'.repeat(42)}72YDVwp`;
const jwt = 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJhIn0.c2ln-_';

const [first, last] = [token.slice(0, 20), token.slice(20)];

it.each([
  token,
  `  ${token}\r\n`,
  `${first}\n${last}`,
  `Bearer ${token}`,
  `bearer  ${token} `,
  ` ${jwt}\n`,
  `"${token}"`,
  `'Bearer ${token}'`,
  `“${token}”`,
  `\`${jwt}\``,
  `Authorization: Bearer ${token}`,
  `\ufeff${token}\u200b`,
  `\u2068${first}\u00a0${last}\u2069`,
  `"Authorization: Bearer ${jwt}"`,
  `https://plants.example/store/#token=${token}`,
  ` http://127.0.0.1:3000/#token=${jwt}\n`,
])('reads the access token or JSON Web Token %j', (text) => {
  expect(readToken(text)).toEqual({ token: text.includes(jwt) ? jwt : token });
});

it.each([
  ['Paste your access token.', '', ' \n', 'Bearer '],
  ['incomplete or mistyped', token.slice(0, -1), `${token}0`, token.replace('72YDVwp', '72YDVwq'), 'pst_'],
  ['not an access token', 'hello', `PST_${token.slice(4)}`, `${jwt}.x`, jwt.replaceAll('.', ''), 'a.b.ä'],
])('explains with "%s" what is wrong with %j', (problem, ...texts) => {
  for (const text of texts) expect(readToken(text)).toEqual({ problem: expect.stringContaining(problem) });
});
