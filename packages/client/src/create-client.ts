import { type ExactJson, stringifyExactJson } from '@plant-store/contract/exact-json/stringify';
import { routes } from '@plant-store/contract/routes';
import { formatAuthorization } from './authorization.js';
import { parseBaseUrl } from './base-url.js';
import type { Client } from './client.js';
import { exchange, type Fetch } from './exchange.js';
import { type ReadReply, readReply } from './read-reply.js';

/** Where the service is, and as whom to call it. */
export interface ClientOptions {
  /** The absolute http(s) address of the service, with or without a path prefix and a slash at its end. */
  readonly baseUrl: string | URL;
  /** The access token, as the operator has issued it. */
  readonly token: string;
  /** Sends the requests. Default: the global `fetch`, looked up at each request. */
  readonly fetch?: Fetch;
}

/**
 * Creates a client: an object with one function per operation of the contract. Nothing is sent yet.
 *
 * An operation resolves to `{ status, body, headers }` for every status that the contract declares; `status` narrows
 * `body`. An id is sent exactly: pass a `bigint` beyond `Number.MAX_SAFE_INTEGER`.
 *
 * @throws {TypeError} when `baseUrl` or `token` cannot be one. An operation rejects with a `RangeError` before
 * anything is sent when an integer `number` is not safe, with a `NetworkError` when no complete reply came, and with
 * an `UnexpectedResponseError` when what came is no reply of the interface.
 *
 * @example
 * import { createClient } from '@plant-store/client';
 *
 * const client = createClient({ baseUrl: 'http://127.0.0.1:3000', token: 'pst_…' });
 *
 * const reply = await client.createPlant({ body: { id: 9223372036854775807n, name: 'Monstera deliciosa' } });
 * if (reply.status === 200) {
 *   console.log(reply.body.name);
 * } else {
 *   console.error(reply.body.error, reply.body.message);
 * }
 */
export function createClient({ baseUrl, token, fetch = globalFetch }: ClientOptions): Client {
  const base = parseBaseUrl(baseUrl);
  const authorization = formatAuthorization(token);

  const operations = Object.entries(routes).map(([name, { method, path, statuses }]) => [
    name,
    async (request?: AnyRequest): Promise<ReadReply> =>
      readReply(
        await exchange(fetch, base + path, { method, ...writeRequest(authorization, request) }),
        statuses,
      ),
  ]);

  // Each route is known here as a string and plain data; that it is an operation of that name, with that body and
  // those responses, only the contract's types can say.
  return Object.fromEntries(operations) as Client;
}

interface AnyRequest {
  readonly body: ExactJson;
}

const globalFetch: Fetch = (url, init) => globalThis.fetch(url, init);

function writeRequest(authorization: string, request: AnyRequest | undefined): RequestInit {
  const headers = { authorization, accept: 'application/json' };
  if (!request) return { headers };
  return {
    headers: { ...headers, 'content-type': 'application/json' },
    body: stringifyExactJson(request.body),
  };
}
