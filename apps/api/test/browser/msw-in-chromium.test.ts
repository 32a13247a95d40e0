import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { until } from '../support/until.js';
import { launchChromium } from './launch-chromium.js';
import type { WithMocked } from './msw-page.js';
import { type ServedPage, servePage } from './serve-page.js';

// What `msw init` copies.
const worker = readFileSync(createRequire(import.meta.url).resolve('msw/mockServiceWorker.js'), 'utf8');

let browser: Browser;
let served: ServedPage;
let page: Page;
beforeAll(async () => {
  browser = await launchChromium();
  served = await servePage('msw-page.ts', { '/mockServiceWorker.js': worker });
  page = await browser.newPage();
  await page.goto(served.origin);
  await page.waitForFunction(() => 'mocked' in globalThis);
}, 120_000);
afterAll(async () => {
  await browser?.close();
  served?.stop();
});
beforeEach(() => page.evaluate(() => (globalThis as unknown as WithMocked).mocked.store.clear()));

const readPlants = () => page.evaluate(() => [...(globalThis as unknown as WithMocked).mocked.store.plants]);

it('answers the fetch of a browser as the service does', async () => {
  const replies = await page.evaluate(async () => {
    const { open } = (globalThis as unknown as WithMocked).mocked;
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
});

it.each([
  [{ kind: 'drop', stored: true }, { name: 'NetworkError', outcome: 'unknown' }, 1],
  [{ kind: 'refuse' }, { name: 'NetworkError', outcome: 'unknown' }, 0],
  [{ kind: 'malformed', body: 'truncated' }, { name: 'UnexpectedResponseError', status: 200 }, 1],
  [{ kind: 'status', status: 503, headers: { 'Retry-After': '1' } }, { status: 503 }, 0],
] as const)('lets a scripted failure reach the caller: %j', async (fault, expected, stored) => {
  const result = await page.evaluate(async (scripted) => {
    const { store, open } = (globalThis as unknown as WithMocked).mocked;
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

it('stores a plant once whose reply was lost, when the client retries', async () => {
  const replayed = await page.evaluate(async () => {
    const { store, open } = (globalThis as unknown as WithMocked).mocked;
    store.fail({ kind: 'drop', stored: true });
    const reply = await open({ retries: 1 }).createPlant({ body: { id: 1n, name: 'Monstera' } });
    return reply.status === 200 && reply.replayed;
  });
  expect(replayed).toBe(true);
  expect(await readPlants()).toEqual([[1n, { name: 'Monstera' }]]);
});

it('carries out what a delay held though its caller has left: a service worker learns of no abort', async () => {
  await page.evaluate(async () => {
    const { store, open } = (globalThis as unknown as WithMocked).mocked;
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

it('passes any other request to the network', async () => {
  const text = await page.evaluate(async () => (await fetch('/')).text());
  expect(text).toContain('<title>Create a plant</title>');
});
