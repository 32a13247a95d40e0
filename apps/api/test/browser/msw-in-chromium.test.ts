import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Client, ClientOptions } from '@plant-store/client';
import type { FakePlantStore } from '@plant-store/client/testing';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { until } from '../support/until.js';
import { setUpBrowser } from './page/support/set-up.js';
import { servePage } from './serve-page.js';

// What `msw init` copies.
const worker = readFileSync(createRequire(import.meta.url).resolve('msw/mockServiceWorker.js'), 'utf8');

/** What the page has in `globalThis`. */
interface Mocked {
  readonly store: FakePlantStore;
  /** A client with the `fetch` of the browser. */
  open(options?: Partial<ClientOptions>): Client;
}

const script = `
import { createClient } from '@plant-store/client';
import { createHandlers } from '@plant-store/client/msw';
import { createFakePlantStore } from '@plant-store/client/testing';
import { setupWorker } from 'msw/browser';

const baseUrl = 'https://plants.example.com/v1';
const store = createFakePlantStore();
await setupWorker(...createHandlers(store, { baseUrl })).start({ quiet: true });
const open = (options) => createClient({ baseUrl, token: store.token, retries: 0, ...options });
Object.assign(globalThis, { store, open });`;

const shared = setUpBrowser();
let served: Awaited<ReturnType<typeof servePage>>;
beforeAll(async () => {
  served = await servePage(shared.browser, script, { '/mockServiceWorker.js': worker });
}, 120_000);
afterAll(() => served?.stop());
beforeEach(() => served.page.evaluate(() => (globalThis as unknown as Mocked).store.clear()));

const readPlants = () => served.page.evaluate(() => [...(globalThis as unknown as Mocked).store.plants]);

it('answers the fetch of a browser as the service does, and passes any other request to the network', async () => {
  const replies = await served.page.evaluate(async () => {
    const { open } = globalThis as unknown as Mocked;
    const body = { id: 9223372036854775807n, name: 'Monstera' };
    const stored = await open().createPlant({ body });
    const replayed = await open().createPlant({ body });
    const taken = await open().createPlant({ body: { ...body, name: 'Fern' } });
    const rejected = await open({ token: 'pst_another' }).createPlant({ body });
    return [stored, replayed, taken, rejected].map(({ headers, ...reply }) => reply);
  });
  expect(replies).toMatchObject([
    { status: 200, body: { name: 'Monstera' }, replayed: false, requestId: expect.any(String) },
    { status: 200, body: { name: 'Monstera' }, replayed: true },
    { status: 400, body: { error: 40003 } },
    { status: 401, body: { error: 40101 } },
  ]);
  expect(await readPlants()).toEqual([[9223372036854775807n, { name: 'Monstera' }]]);
  expect(await served.page.evaluate(async () => (await fetch('/')).text())).toContain('<title>Empty</title>');
});

it.each([
  [{ kind: 'drop', stored: true }, { name: 'NetworkError', outcome: 'unknown' }, 1],
  [{ kind: 'refuse' }, { name: 'NetworkError', outcome: 'unknown' }, 0],
  [{ kind: 'malformed', body: 'truncated' }, { name: 'UnexpectedResponseError', status: 200 }, 1],
  [{ kind: 'status', status: 503, headers: { 'Retry-After': '1' } }, { status: 503 }, 0],
] as const)('lets a scripted failure reach the caller: %j', async (fault, expected, stored) => {
  const result = await served.page.evaluate(async (scripted) => {
    const { store, open } = globalThis as unknown as Mocked;
    store.fail(scripted);
    const reply = await open()
      .createPlant({ body: { id: 1n, name: 'Monstera' } })
      .catch((error: unknown) => error);
    const { name, outcome, status } = Object(reply);
    return { name, outcome, status };
  }, fault);
  expect(result).toMatchObject(expected);
  expect(await readPlants()).toHaveLength(stored);
});

it('carries out what a delay held though its caller has left: a service worker learns of no abort', async () => {
  await served.page.evaluate(async () => {
    const { store, open } = globalThis as unknown as Mocked;
    store.fail({ kind: 'delay', ms: 1000 });
    const leaving = new AbortController();
    const { signal } = leaving;
    const result = open().createPlant({ body: { id: 1n, name: 'Monstera' }, signal });
    while (store.faultsLeft > 0) await new Promise((resolve) => setTimeout(resolve, 10));
    leaving.abort();
    await result.catch(() => undefined);
  });
  await until(async () => (await readPlants()).length === 1);
});
