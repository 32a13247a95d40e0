import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * An access token is `pst_`, 32 random bytes in base62 (43 characters), and the CRC-32 of all before it in base62
 * (6 characters), so that secret scanners find it, and a typo is detected without reading the database.
 */
export const accessTokenPrefix = 'pst_';
const secretBytes = 32;
const secretLength = 43;
const checksumLength = 6;
const shape = new RegExp(`^${accessTokenPrefix}[0-9A-Za-z]{${secretLength + checksumLength}}$`);
const tokenWithin = new RegExp(`${accessTokenPrefix}[0-9A-Za-z]+`, 'g');

/** A new access token, 53 characters, from the platform's secure random source. */
export function generateAccessToken(): string {
  const secret = BigInt(`0x${randomBytes(secretBytes).toString('hex')}`);
  const body = accessTokenPrefix + toBase62(secret, secretLength);
  return body + checksumOf(body);
}

/** Whether a text has the format and the checksum of an access token, whether or not it was ever issued. */
export function isAccessTokenFormat(text: string): boolean {
  return shape.test(text) && checksumOf(text.slice(0, -checksumLength)) === text.slice(-checksumLength);
}

/** The SHA-256 of an access token in hexadecimal, which is stored instead of the token. */
export function hashAccessToken(token: string): string {
  return hash('sha256', token, 'hex');
}

/**
 * The payload of a JSON Web Token begins with `{"` in base64url; its header may have a space there. Looking behind keeps the
 * time linear: what may be a header is tried from its first character only.
 */
const jwtWithin = /(?<![\w-])[\w-]+\.eyJ[\w-]+(\.[\w-]*)?/g;

/** Masks every access token in a text, complete or truncated, and every JSON Web Token, so that the text may be logged. */
export function hideAccessTokens(text: string): string {
  const hidden = !text.includes(accessTokenPrefix)
    ? text
    : text.replaceAll(tokenWithin, `${accessTokenPrefix}***`);
  return !hidden.includes('.eyJ') ? hidden : hidden.replaceAll(jwtWithin, '***');
}

function checksumOf(body: string): string {
  return toBase62(BigInt(crc32(body)), checksumLength);
}

const base62Digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function toBase62(value: bigint, length: number): string {
  let digits = '';
  for (let rest = value; rest > 0n; rest /= 62n) digits = base62Digits.charAt(Number(rest % 62n)) + digits;
  return digits.padStart(length, '0');
}
