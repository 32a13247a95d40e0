import { type ScopeOf, scopesOf } from './resource.js';
import { type ResourceName, resources } from './resources.js';

/**
 * An access token is `pst_`, 32 random bytes in base62 (43 characters), and the CRC-32 of all before it in base62
 * (6 characters), so that secret scanners find it, and a typo is detected before it is sent, and without reading the
 * database.
 */
export const accessTokenPrefix = 'pst_';

/** One of `scopes`. */
export type Scope = ScopeOf<(typeof resources)[ResourceName]['plural']> | 'admin';

/** The scopes of tokens. Each operation requires one of them. `admin` is for token operations. */
export const scopes: readonly Scope[] = /* @__PURE__ */ Object.values(resources)
  .flatMap((resource): Scope[] => scopesOf(resource))
  .concat('admin');

/** The default scopes of a new token: never more than in version 1.0, however many resources were added since. */
export const defaultScopes: readonly Scope[] = /* @__PURE__ */ scopesOf(resources.plant);

/** The name of `update` before version 1.5. Older tokens and settings still have this name. */
export const formerUpdate = 'correct';

/** The current name of a scope. Returns any other text unchanged. */
export function currentScope(name: string): string {
  return name === formerUpdate ? 'update' : name;
}

/** The number of base62 characters that hold the 32 random bytes. */
export const accessTokenSecretLength = 43;

const checksumLength = 6;
const shape = new RegExp(`^${accessTokenPrefix}[0-9A-Za-z]{${accessTokenSecretLength + checksumLength}}$`);

/** Whether a text has the format and the checksum of an access token, whether or not it was ever issued. */
export function isAccessTokenFormat(text: string): boolean {
  const body = text.slice(0, -checksumLength);
  return shape.test(text) && accessTokenChecksum(body) === text.slice(-checksumLength);
}

/** The checksum of an access token, 6 characters, for the prefix and the secret. */
export function accessTokenChecksum(body: string): string {
  return toBase62(BigInt(crc32(body)), checksumLength);
}

/** A number that is not negative in base62, with the digits 0-9, A-Z, a-z, padded with zeros to a length. */
export function toBase62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = base62Digits.charAt(Number(rest % 62n)) + text;
  return text.padStart(length, '0');
}

const base62Digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * The CRC-32 of a text of ASCII characters (ISO 3309, as gzip and PNG use it), as an unsigned 32-bit integer; bit by bit, because texts are
 * short.
 */
export function crc32(text: string): number {
  let remainder = 0xffffffff;
  for (let index = 0; index < text.length; index++) {
    remainder ^= text.charCodeAt(index);
    for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ (remainder & 1 ? 0xedb88320 : 0);
  }
  return ~remainder >>> 0;
}
