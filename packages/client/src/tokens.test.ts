import { expect, it } from 'vitest';
import { formatAuthorization } from './tokens.js';

it.each(['pst_0aZ', 'eyJhbGciOiJFUzI1NiJ9.e30.a-b_c', 'a~b+c/d=='])('takes %s', (token) => {
  expect(formatAuthorization(token)).toBe(`Bearer ${token}`);
});

it.each<[unknown, string]>([
  ['', 'is empty'],
  ['secret\n', 'has "\\n"'],
  ['secret\r\nx-admin: 1', 'has "\\r"'],
  ['Bearer secret', 'has " "'],
  ['"secret"', 'has "\\""'],
  ['sécret', 'has "é"'],
  ['pst_…', 'has "…"'],
  ['pst_🌱', 'has "🌱"'],
  ['sec=ret', 'has "="'],
  // A variable that is not set, from a caller without types: as text it would look like a token.
  [undefined, 'must be a string, and is undefined'],
])('says what is wrong with %j without quoting it', (token, problem) => {
  const format = () => formatAuthorization(token as string);
  expect(format).toThrow(TypeError);
  expect(format).toThrow(new RegExp(`^token (?!.*(secret|pst)).*${problem.replaceAll('\\', '\\\\')}$`));
});
