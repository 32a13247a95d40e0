import { routes } from '@plant-store/contract/routes';
import { type HttpHandler, HttpResponse, http } from 'msw';
import { parseBaseUrl } from './parse-base-url.js';
import type { FakePlantStore } from './testing/create-fake-plant-store.js';

/** Where the program under test sends its requests. */
export interface HandlersOptions {
  /** The address that the program's client has. Default: that of the store. */
  readonly baseUrl?: string | URL;
}

/**
 * Creates handlers for MSW that answer with a fake plant store, so that a program is tested with its own client, its own
 * token source and its own `fetch`: `setupServer(...handlers)` in Node.js, `setupWorker(...handlers)` in browsers.
 *
 * They answer only requests under the paths of the API. All others go to your other handlers or to the network. The faults of
 * `store.fail()` work here, too. For `drop` and `refuse`, MSW hides why the connection failed, so the client's `outcome` is
 * `unknown`. In browsers MSW also hides an abort, so a request that a `delay` fault holds is carried out even if the caller aborts it.
 *
 * @throws {TypeError} when the base address cannot be one
 *
 * @example
 * import { createHandlers } from '@plant-store/client/msw';
 * import { createFakePlantStore } from '@plant-store/client/testing';
 * import { setupServer } from 'msw/node';
 *
 * const store = createFakePlantStore();
 * const server = setupServer(...createHandlers(store, { baseUrl: 'https://plants.example.com' }));
 * server.listen();
 */
export function createHandlers(
  store: Pick<FakePlantStore, 'fetch' | 'baseUrl'>,
  options: HandlersOptions = {},
): HttpHandler[] {
  const baseUrl = parseBaseUrl(options.baseUrl ?? store.baseUrl);
  const paths = new Set(Object.values(routes).map(({ path }) => path));
  // All methods, so that an unsupported method is rejected as by the service.
  return [...paths].map((path) =>
    http.all(baseUrl + path, ({ request }) =>
      answer(store.fetch, request, store.baseUrl + request.url.slice(baseUrl.length)),
    ),
  );
}

/** The reply of the fake to a request, sent to another address. */
async function answer(fetch: FakePlantStore['fetch'], request: Request, url: string): Promise<Response> {
  const { method, headers, signal } = request;
  const body = await request.arrayBuffer();
  const init = { method, headers, signal, ...(body.byteLength > 0 && { body }) };
  // MSW treats a thrown error as a bug of the handler, and replies 500.
  return fetch(url, init).catch(() => HttpResponse.error());
}
