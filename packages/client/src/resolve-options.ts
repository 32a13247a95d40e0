import { type Authorize, createAuthorize } from './authorization.js';
import type { CallOptions } from './options.js';
import { parseBaseUrl } from './parse-base-url.js';

/** The options of a client or of a call, validated. */
export interface ResolvedOptions extends CallOptions {
  /** As `parseBaseUrl` returns it. */
  readonly baseUrl: string;
  /** Shared by all calls that use this token. */
  readonly authorize: Authorize;
  /** Headers with lowercase names. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Validates options and merges them into those of a client, which they override. An `undefined` option counts as absent.
 *
 * @throws {TypeError} when `baseUrl` or `token` is not valid, or there is none
 */
export function resolveOptions(
  defaults: Partial<ResolvedOptions>,
  { baseUrl, token, headers, ...given }: CallOptions,
): ResolvedOptions {
  const merged: Record<string, string> = { ...defaults.headers };
  for (const [name, value] of Object.entries({ ...headers })) merged[name.toLowerCase()] = value;
  return {
    ...defaults,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value != null)),
    baseUrl: (baseUrl == null && defaults.baseUrl) || parseBaseUrl(baseUrl),
    authorize: (token === undefined && defaults.authorize) || createAuthorize(token),
    headers: merged,
  };
}
