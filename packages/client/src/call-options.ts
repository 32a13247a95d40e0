import type { CallOptions } from './options.js';
import { parseBaseUrl } from './parse-base-url.js';
import { type Authorize, createAuthorize } from './tokens.js';

/** The options of a client or of a call, validated. */
export interface ResolvedOptions extends CallOptions {
  /** As `parseBaseUrl` returns it. */
  readonly baseUrl: string;
  /** Shared by all calls that take the token from here. */
  readonly authorize: Authorize;
  /** With lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Merges options with those of a client, and overrides them. An `undefined` option counts as absent.
 *
 * @throws {TypeError} when `baseUrl` or `token` is not valid, or there is none
 */
export function resolveOptions(
  defaults: Partial<ResolvedOptions>,
  { baseUrl, token, headers, ...given }: CallOptions,
): ResolvedOptions {
  const lowerCase: Record<string, string> = { ...defaults.headers };
  for (const [name, value] of Object.entries({ ...headers })) lowerCase[name.toLowerCase()] = value;
  return {
    ...defaults,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value != null)),
    baseUrl: (baseUrl == null && defaults.baseUrl) || parseBaseUrl(baseUrl),
    authorize: (token === undefined && defaults.authorize) || createAuthorize(token),
    headers: lowerCase,
  };
}
