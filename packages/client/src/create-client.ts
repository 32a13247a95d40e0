import { type Route, routes } from '@plant-store/contract/routes';
import { type AnyRequest, call } from './call.js';
import type { Client } from './client.js';
import type { CallOptions, ClientOptions } from './options.js';
import { type ResolvedOptions, resolveOptions } from './resolve-options.js';

/**
 * Creates a client: an object with one function per operation of the API. It sends no request.
 *
 * An operation resolves to `{ status, body, headers, requestId, etag, replayed, request, response }` for every status that the
 * API defines, and `status` narrows `body`. An ID is sent exactly: pass a `bigint` beyond `Number.MAX_SAFE_INTEGER`.
 *
 * An operation rejects with
 * - a `RangeError`, before anything is sent, when an integer `number` is not safe
 * - a `NetworkError` when no complete reply came
 * - a `TimeoutError` when no reply came in time
 * - an `UnexpectedResponseError` for a response that the API does not define
 *
 * @throws {TypeError} when `baseUrl` or `token` is not valid
 *
 * @example
 * import { createClient } from '@plant-store/client';
 *
 * const client = createClient({ baseUrl: 'http://127.0.0.1:3000', token: 'pst_…' });
 *
 * const reply = await client.createPlant({ body: { id: 9000000000000011001n, name: 'Monstera deliciosa' } });
 * if (reply.status === 200) {
 *   console.log(reply.body.name);
 * } else {
 *   console.error(reply.body.error, reply.body.message);
 * }
 */
export function createClient(options: ClientOptions): Client {
  return createClientOf<Client>(routes, options);
}

/** The members of a client other than its operations. */
type OtherMember = 'baseUrl' | 'withOptions';

/**
 * Creates a client for any routes. The type parameter determines what their operations take and return.
 *
 * @throws {TypeError} when `baseUrl` or `token` is not valid
 */
export function createClientOf<AnyClient>(
  routesByName: Readonly<Record<Exclude<keyof AnyClient, OtherMember>, Route>>,
  options: CallOptions,
  defaults: Partial<ResolvedOptions> = {},
): AnyClient {
  // Reports invalid options here instead of in the first call.
  const resolved = resolveOptions(defaults, options);
  // Routes are plain data. The bodies and replies of their operations exist only in the types of the contract.
  const operations = Object.entries<Route>(routesByName).map(([name, route]) => [
    name,
    (request?: AnyRequest) => call(name, route, resolved, request),
  ]);
  return Object.defineProperties(Object.fromEntries(operations), {
    baseUrl: { value: resolved.baseUrl },
    withOptions: { value: (overrides: CallOptions) => createClientOf(routesByName, overrides, resolved) },
  });
}
