import { type Route, routes } from '@plant-store/contract/routes';
import { type AnyRequest, call } from './call.js';
import { type ResolvedOptions, resolveOptions } from './call-options.js';
import type { Client } from './client.js';
import type { CallOptions, ClientOptions } from './options.js';

/**
 * Creates a client: an object with one function per operation of the API. It sends nothing yet.
 *
 * An operation resolves to `{ status, body, headers, requestId, etag, replayed, request, response }` for every status that the
 * API defines; `status` narrows `body`. An id is sent exactly: pass a `bigint` beyond `Number.MAX_SAFE_INTEGER`.
 *
 * @throws {TypeError} when `baseUrl` or `token` is not valid. An operation rejects with a `RangeError` before anything is
 * sent when an integer `number` is not safe, with a `NetworkError` when no complete reply came, with a `TimeoutError` when
 * none came in time, and with an `UnexpectedResponseError` for a response that the API does not define.
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
type Settings = 'baseUrl' | 'withOptions';

/**
 * Creates a client for any routes. Only the type parameter says what their operations take and return.
 *
 * @throws {TypeError} when `baseUrl` or `token` is not valid
 */
export function createClientOf<Client>(
  routes: Readonly<Record<Exclude<keyof Client, Settings>, Route>>,
  options: CallOptions,
  defaults: Partial<ResolvedOptions> = {},
): Client {
  // So that invalid options are reported here, not by the first call.
  const resolved = resolveOptions(defaults, options);
  // Routes are plain data at run time; the bodies and replies of their operations exist in the contract's types only.
  const operations = Object.entries<Route>(routes).map(([name, route]) => [
    name,
    (request?: AnyRequest) => call(name, route, resolved, request),
  ]);
  return Object.defineProperties(Object.fromEntries(operations), {
    baseUrl: { value: resolved.baseUrl },
    withOptions: { value: (others: CallOptions) => createClientOf(routes, others, resolved) },
  });
}
