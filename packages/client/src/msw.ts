import { routes } from '@plant-store/contract/routes';
import { type HttpHandler, HttpResponse, http } from 'msw';
import { parseBaseUrl } from './parse-base-url.js';
import type { FakePlantStore } from './testing/create-fake-plant-store.js';

/** The options of `createHandlers`. */
export interface HandlersOptions {
  /** The base URL to which the program under test sends its requests. Default: the store's base URL. */
  readonly baseUrl?: string | URL;
}

/**
 * Creates handlers for MSW that answer with a fake plant store, so that you can test a program with its actual client, token source, and
 * `fetch`: use `setupServer(...handlers)` in Node.js, and `setupWorker(...handlers)` in browsers.
 *
 * The handlers answer only requests to API paths. All others go to your other handlers or to the network. The faults of `store.fail()` also
 * work. For `drop` and `refuse`, MSW hides why the connection failed, so the client's `outcome` is `unknown`. In browsers MSW also hides an
 * abort, so a request with a `delay` fault is carried out even if the caller aborts it.
 *
 * @throws {TypeError} when `baseUrl` is not valid
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
  // All methods have a handler, so that an unsupported one gets a 405, as from the service.
  return [...paths].map((path) =>
    http.all(baseUrl + path, ({ request }) =>
      answer(store.fetch, request, store.baseUrl + request.url.slice(baseUrl.length)),
    ),
  );
}

/** Sends a request to another URL of the fake, and returns the response. */
async function answer(fetch: FakePlantStore['fetch'], request: Request, url: string): Promise<Response> {
  const { method, headers, signal } = request;
  const body = await request.arrayBuffer();
  const init = { method, headers, signal, ...(body.byteLength > 0 && { body }) };
  // MSW treats a thrown error as a bug of the handler, and replies 500.
  return fetch(url, init).catch(() => HttpResponse.error());
}
