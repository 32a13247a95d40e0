import { type ScopeOf, scopesOf } from './resource.js';
import { type ResourceName, resources } from './resources.js';

/**
 * The prefix of an access token. It lets secret scanners find the token. 32 random bytes in base62 (43 characters) follow, and the CRC-32
 * of everything before it in base62 (6 characters). The checksum detects a typo before the token is sent, or without reading the database.
 */
export const accessTokenPrefix = 'pst_';

export type Scope = ScopeOf<(typeof resources)[ResourceName]['plural']> | 'admin';

/** The scopes of tokens. Each operation requires one of them. `admin` is for token operations. */
export const scopes: readonly Scope[] = /* @__PURE__ */ Object.values(resources)
  .flatMap((resource): Scope[] => scopesOf(resource))
  .concat('admin');

/** The default scopes of a new token: those of version 1.0, even if later versions have more resources. */
export const defaultScopes: readonly Scope[] = /* @__PURE__ */ scopesOf(resources.plant);

/** The name of the scope `update` before version 1.5. Older tokens and settings still have it. */
export const formerUpdate = 'correct';

/** Returns the current name of a scope. Returns any other text unchanged. */
export function currentScope(name: string): string {
  return name === formerUpdate ? 'update' : name;
}

/** The number of base62 characters that hold the 32 random bytes. */
export const accessTokenSecretLength = 43;

const checksumLength = 6;
const tokenPattern = new RegExp(
  `^${accessTokenPrefix}[0-9A-Za-z]{${accessTokenSecretLength + checksumLength}}$`,
);

/** Whether a text has the format and the checksum of an access token, even if the token was never issued. */
export function isAccessTokenFormat(text: string): boolean {
  const body = text.slice(0, -checksumLength);
  return tokenPattern.test(text) && accessTokenChecksum(body) === text.slice(-checksumLength);
}

/** Returns the 6-character checksum of an access token's prefix and random part. */
export function accessTokenChecksum(body: string): string {
  return toBase62(BigInt(crc32(body)), checksumLength);
}

/** Writes a non-negative number in base62, with the digits 0-9, A-Z, a-z, padded with zeros to a length. */
export function toBase62(value: bigint, length: number): string {
  let text = '';
  for (let quotient = value; quotient > 0n; quotient /= 62n)
    text = base62Digits.charAt(Number(quotient % 62n)) + text;
  return text.padStart(length, '0');
}

const base62Digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

const reversedPolynomial = 0xedb88320;

/**
 * Returns the CRC-32 of ASCII text (ISO 3309, as in gzip and PNG), as an unsigned 32-bit integer. It has no lookup table, because tokens
 * are short.
 */
export function crc32(text: string): number {
  let remainder = 0xffffffff;
  for (let index = 0; index < text.length; index++) {
    remainder ^= text.charCodeAt(index);
    for (let bit = 0; bit < 8; bit++)
      remainder = (remainder >>> 1) ^ (remainder & 1 ? reversedPolynomial : 0);
  }
  return ~remainder >>> 0;
}
