import { toBase62 } from './base62.js';
import { crc32 } from './crc32.js';

/**
 * An access token is `pst_`, 32 random bytes in base62 (43 characters), and the CRC-32 of all before it in base62
 * (6 characters), so that secret scanners find it, and a typo is detected before it is sent, and without reading the
 * database.
 */
export const accessTokenPrefix = 'pst_';

/** The number of base62 characters that hold the 32 random bytes. */
export const accessTokenSecretLength = 43;

const checksumLength = 6;
const shape = new RegExp(`^${accessTokenPrefix}[0-9A-Za-z]{${accessTokenSecretLength + checksumLength}}$`);

/** Whether a text has the format and the checksum of an access token, whether or not it was ever issued. */
export function isAccessTokenFormat(text: string): boolean {
  const body = text.slice(0, -checksumLength);
  return shape.test(text) && accessTokenChecksum(body) === text.slice(-checksumLength);
}

/** The checksum of an access token, 6 characters, for what stands before it: the prefix and the secret. */
export function accessTokenChecksum(body: string): string {
  return toBase62(BigInt(crc32(body)), checksumLength);
}
