import type { TokenSource } from '../options.js';
import { formatAuthorization } from './authorization.js';

/** The access token of a client or of a call, as values of the `Authorization` header. */
export interface Tokens {
  /** The one to use now, once it is known. */
  known?: string | undefined;
  /** The one to use now. */
  get(): Promise<string>;
  /** The one to use after a request was refused with another; the same again when there is none but that. */
  renew(refused: string): Promise<string>;
}

/**
 * Keeps what a token's source gives, and asks it again only when that is refused. Those who ask at the same time share
 * one question.
 *
 * @throws {TypeError} when the token is a string that cannot be one
 */
export function createTokens(token: string | TokenSource): Tokens {
  let current: Promise<string> | undefined;
  const ask = () => {
    const asked = (async () => formatAuthorization(typeof token === 'function' ? await token() : token))();
    current = asked;
    tokens.known = undefined;
    asked.then(
      (value) => {
        if (current === asked) tokens.known = value;
      },
      () => {
        // A source that fails is asked again by the next one who needs a token.
        if (current === asked) current = undefined;
      },
    );
    return asked;
  };
  const get = () => current ?? ask();
  const tokens: Tokens = {
    known: typeof token === 'function' ? undefined : formatAuthorization(token),
    get,
    async renew(refused) {
      const asked = get();
      // Of those who were refused with the same token, the first one asks.
      return (await asked) === refused && current === asked ? ask() : get();
    },
  };
  return tokens;
}
