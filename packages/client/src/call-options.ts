import type { CallOptions } from './options.js';
import { parseBaseUrl } from './parse-base-url.js';
import { createTokens, type Tokens } from './tokens.js';

/** The options of a client or of a call, validated. */
export interface ResolvedOptions extends CallOptions {
  /** As `parseBaseUrl` returns it. */
  readonly baseUrl: string;
  /** Shared by all calls that take the token from here. */
  readonly tokens: Tokens;
  /** With lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Adds options to those of a client, which they override. One that is `undefined` counts as absent.
 *
 * @throws {TypeError} when `baseUrl` or `token` is not valid, or there is none
 */
export function resolveOptions(
  defaults: Partial<ResolvedOptions>,
  { baseUrl, token, headers, ...given }: CallOptions,
): ResolvedOptions {
  return {
    ...defaults,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value != null)),
    baseUrl: parseBaseUrl(baseUrl ?? defaults.baseUrl),
    tokens: token === undefined && defaults.tokens ? defaults.tokens : createTokens(token),
    headers: Object.fromEntries(
      Object.entries({ ...defaults.headers, ...headers }).map(([name, value]) => [name.toLowerCase(), value]),
    ),
  };
}
