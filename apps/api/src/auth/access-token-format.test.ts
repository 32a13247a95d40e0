import { createHash } from 'node:crypto';
import { runInNewContext } from 'node:vm';
import { isAccessTokenFormat } from '@plant-store/contract/access-token';
import { expect, it } from 'vitest';
import { generateAccessToken, hashAccessToken, hideAccessTokens } from './access-token-format.js';

it('generates distinct tokens of one format', () => {
  const tokens = Array.from({ length: 1_000 }, generateAccessToken);
  for (const token of tokens) {
    expect(token).toMatch(/^pst_[0-9A-Za-z]{49}$/);
    expect(isAccessTokenFormat(token)).toBe(true);
  }
  expect(new Set(tokens).size).toBe(tokens.length);
});

it('hashes with SHA-256 in hexadecimal', () => {
  const token = generateAccessToken();
  expect(hashAccessToken(token)).toBe(createHash('sha256').update(token).digest('hex'));
});

it('masks tokens, complete or truncated, anywhere in a text', () => {
  const token = generateAccessToken();
  expect(hideAccessTokens(`/a/${token}/${token.slice(0, 9)}?x`)).toBe('/a/pst_***/pst_***?x');
  expect(hideAccessTokens('/plants')).toBe('/plants');
});

it('masks JSON Web Tokens, and nothing that only begins like one', () => {
  const payload = 'eyJzdWIiOiJhIn0';
  for (const header of ['eyJhbGciOiJSUzI1NiJ9', 'eyAiYWxnIjoiUlMyNTYifQ']) {
    const jwt = `${header}.${payload}.c2ln-_`;
    expect(hideAccessTokens(`/a/${jwt}/${jwt.slice(0, 30)}?x`)).toBe('/a/***/***?x');
  }
  expect(hideAccessTokens('/eyJ/eyJhbGciOiJSUzI1NiJ9')).toBe('/eyJ/eyJhbGciOiJSUzI1NiJ9');
});

it.each(['eyJ', 'eyJ.', '.eyJ', 'a.eyJ', '-', 'pst_', 'pst_a'])(
  'takes time in proportion to the length of a text, such as one of %j only',
  (part) => {
    const text = `${part.repeat(300_000)}.eyJ!.eyJ`;
    // This takes milliseconds; in quadratic time it would take minutes. Nothing else can interrupt a regular expression.
    const hide = () => hideAccessTokens(text);
    expect(() => runInNewContext('hide()', { hide }, { timeout: 60_000 })).not.toThrow();
  },
);
