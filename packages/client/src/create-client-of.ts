import { type AnyRequest, call } from './call/call.js';
import type { ClientOf } from './client.js';
import type { ClientOptions } from './options.js';
import { parseBaseUrl } from './request/parse-base-url.js';
import { createTokens } from './request/tokens.js';
import type { Route } from './route.js';

/**
 * Creates a client for any routes; what their operations take and return is given by the type parameter alone.
 *
 * @throws {TypeError} when `baseUrl` or `token` is not valid
 */
export function createClientOf<Operations>(
  routes: Readonly<Record<keyof Operations, Route>>,
  options: ClientOptions,
): ClientOf<Operations> {
  // So that invalid options are reported here, not by the first call.
  const baseUrl = parseBaseUrl(options.baseUrl);
  const defaults = { ...options, baseUrl, tokens: createTokens(options.token) };
  // Routes are plain data at run time; the bodies and replies of their operations exist in the contract's types only.
  return Object.fromEntries(
    Object.entries<Route>(routes).map(([name, route]) => [
      name,
      (request?: AnyRequest) => call(name, route, defaults, request),
    ]),
  ) as ClientOf<Operations>;
}
