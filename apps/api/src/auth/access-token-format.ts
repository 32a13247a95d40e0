import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * An access token is `pst_`, 32 random bytes in base62 (43 characters), and the CRC-32 of all before it in base62
 * (6 characters), so that scanners find it, and a typo or a cut shows without asking the database.
 */
const prefix = 'pst_';
const secretBytes = 32;
const secretLength = 43;
const checkLength = 6;
const shape = new RegExp(`^${prefix}[0-9A-Za-z]{${secretLength + checkLength}}$`);
const tokenWithin = new RegExp(`${prefix}[0-9A-Za-z]+`, 'g');

/** A new access token, 53 characters, from the platform's secure random source. */
export function generateAccessToken(): string {
  const secret = BigInt(`0x${randomBytes(secretBytes).toString('hex')}`);
  const body = prefix + toBase62(secret, secretLength);
  return body + checkOf(body);
}

/** Whether a text has the form of an access token and its check agrees; says nothing about who issued it. */
export function isAccessTokenFormat(text: string): boolean {
  return shape.test(text) && checkOf(text.slice(0, -checkLength)) === text.slice(-checkLength);
}

/** The SHA-256 of an access token in hexadecimal: all of it that is ever stored. */
export function hashAccessToken(token: string): string {
  return hash('sha256', token, 'hex');
}

/** A text in which no access token can be read, whole or cut, wherever it stands: for what goes into a log. */
export function hideAccessTokens(text: string): string {
  return !text.includes(prefix) ? text : text.replaceAll(tokenWithin, `${prefix}***`);
}

function checkOf(body: string): string {
  return toBase62(BigInt(crc32(body)), checkLength);
}

const base62Digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function toBase62(value: bigint, length: number): string {
  let digits = '';
  for (let rest = value; rest > 0n; rest /= 62n) digits = base62Digits.charAt(Number(rest % 62n)) + digits;
  return digits.padStart(length, '0');
}
