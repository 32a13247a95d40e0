import { type AnyRequest, call } from './call.js';
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
 * Creates a client for any routes; what their operations take and give is known as a type alone.
 *
 * @throws {TypeError} when an option cannot be one
 */
export function createClientOf<Operations>(routes: Routes, options: ClientOptions): ClientOf<Operations> {
  // Faults of the options show at once, not at the first call.
  const baseUrl = parseBaseUrl(options.baseUrl);
  const defaults = { ...options, baseUrl, tokens: createTokens(options.token) };
  const bind = (group: Routes): object =>
    Object.fromEntries(
      Object.entries(group).map(([name, route]) => [
        name,
        isRoute(route) ? (request?: AnyRequest) => call(name, route, defaults, request) : bind(route),
      ]),
    );
  // A route is plain data here; that it is an operation of that name, with that body and those replies, only the
  // contract's types can say.
  return bind(routes) as ClientOf<Operations>;
}

function isRoute(value: Route | Routes): value is Route {
  return typeof value.path === 'string';
}
