import { hash, randomBytes } from 'node:crypto';
import {
  accessTokenChecksum,
  accessTokenPrefix,
  accessTokenSecretLength,
  toBase62,
} from '@plant-store/contract/access-token';

const secretBytes = 32;
const tokenWithin = new RegExp(`${accessTokenPrefix}[0-9A-Za-z]+`, 'g');

/** A new access token, 53 characters, from the platform's secure random source. */
export function generateAccessToken(): string {
  const secret = BigInt(`0x${randomBytes(secretBytes).toString('hex')}`);
  const body = accessTokenPrefix + toBase62(secret, accessTokenSecretLength);
  return body + accessTokenChecksum(body);
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
