import { type AnyRequest, call } from './call/call.js';
import type { ClientOf } from './client.js';
import type { ClientOptions } from './options.js';
import { parseBaseUrl } from './request/parse-base-url.js';
import { createTokens } from './request/tokens.js';
import type { Route } from './route.js';

/** Routes by the names of their operations, in groups where the contract has groups. */
export interface Routes {
  readonly [name: string]: Route | Routes;
}

/**
 * Creates a client for any routes; what their operations take and return is given by the type parameter alone.
 *
 * @throws {TypeError} when an option is not valid
 */
export function createClientOf<Operations>(routes: Routes, options: ClientOptions): ClientOf<Operations> {
  // So that invalid options are reported here, not by the first call.
  const baseUrl = parseBaseUrl(options.baseUrl);
  const defaults = { ...options, baseUrl, tokens: createTokens(options.token) };
  const bind = (group: Routes): object =>
    Object.fromEntries(
      Object.entries(group).map(([name, route]) => [
        name,
        isRoute(route) ? (request?: AnyRequest) => call(name, route, defaults, request) : bind(route),
      ]),
    );
  // Routes are plain data at run time; the bodies and replies of their operations exist in the contract's types only.
  return bind(routes) as ClientOf<Operations>;
}

function isRoute(value: Route | Routes): value is Route {
  return typeof value.path === 'string';
}
