import { accessTokenPrefix, isAccessTokenFormat } from '@plant-store/contract/access-token';

type ReadResult =
  | { readonly token: string; readonly problem?: undefined }
  | { readonly token?: undefined; readonly problem: string };

/** The compact form of a signed JSON Web Token (RFC 7515, section 7.1). */
const jwtForm = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/**
 * Reads an access token as people paste it. Ignores white space (terminals wrap long lines), invisible characters, surrounding quotes, the
 * scheme `Bearer`, and the rest of a link. To avoid sending other texts, a token of the service must have a valid checksum, and a JSON Web
 * Token must have three parts.
 */
export function readToken(text: string): ReadResult {
  const pasted = text
    .replaceAll(/\p{Cf}/gu, '')
    .replace(/^[\s"'`“”„‘’«»]*(?:Authorization:\s*)?(?:Bearer\s+)?/i, '');
  const [, linked = pasted] = /#token=([^&\s]+)/.exec(pasted) ?? [];
  const token = linked.replaceAll(/[\s"'`“”„‘’«»]+/g, '');
  if (token === '') return { problem: 'Paste your access token.' };
  if (isAccessTokenFormat(token) || jwtForm.test(token)) return { token };
  return {
    problem: token.startsWith(accessTokenPrefix)
      ? 'This token is incomplete or mistyped. Paste all of it: pst_ followed by 49 characters.'
      : 'This is not an access token. Tokens start with pst_ or have three parts separated by dots.',
  };
}
