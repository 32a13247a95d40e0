import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { readLog } from '../support/read-log.js';
import { readPlants } from '../support/read-plants.js';
import { startTestService, type TestService } from '../support/start-test-service.js';
import { launchChromium } from './launch-chromium.js';
import { type ServedPage, servePage } from './serve-page.js';
import { serveRedirect } from './serve-redirect.js';

let browser: Browser;
let page: ServedPage;
let otherOriginPage: ServedPage;
let service: TestService;
beforeAll(async () => {
  browser = await launchChromium();
  page = await servePage();
  otherOriginPage = await servePage();
  service = await startTestService({ CORS_ORIGINS: page.origin });
}, 60_000);
afterAll(async () => {
  await browser?.close();
  page?.stop();
  otherOriginPage?.stop();
  await service?.stop();
});

const largestId = '9223372036854775807';

/** Fills in and submits the form of a page, and reads what the page then shows. */
async function createIn(
  { origin }: ServedPage,
  plant: { readonly id: string; readonly name: string },
  { baseUrl, token }: { readonly baseUrl: string; readonly token: string } = service,
): Promise<Readonly<Record<string, string>>> {
  const tab = await browser.newPage({ baseURL: origin });
  await tab.goto('/');
  await tab.getByLabel('Service').fill(baseUrl);
  await tab.getByLabel('Token').fill(token);
  await tab.getByLabel('Id').fill(plant.id);
  await tab.getByLabel('Name').fill(plant.name);
  await tab.getByRole('button').click();
  await tab.locator('dd').first().waitFor();
  const names = await tab.locator('dt').allTextContents();
  const values = await tab.locator('dd').allTextContents();
  await tab.close();
  return Object.fromEntries(names.map((name, at) => [name, values[at] ?? '']));
}

it('stores the largest id exactly, after a preflight, and shows the request id to the page', async () => {
  const shown = await createIn(page, { id: largestId, name: 'Monstera' });
  expect(shown).toMatchObject({ status: '200', name: 'Monstera', replayed: 'false' });
  expect(await readPlants(service)).toEqual([{ id: largestId, name: 'Monstera', tag: null }]);
  expect(await readLog(service, shown['requestId'])).toMatchObject([{ method: 'POST', plantId: largestId }]);
  expect(service.logLines.map((line) => JSON.parse(line))).toMatchObject([
    { method: 'OPTIONS', path: '/plants', status: 204 },
    { method: 'POST', path: '/plants', status: 200 },
  ]);
});

it('shows the page that the same plant was already stored', async () => {
  const shown = await createIn(page, { id: largestId, name: 'Monstera' });
  expect(shown).toMatchObject({ status: '200', name: 'Monstera', replayed: 'true' });
});

it.each([
  ['its id is taken', { id: largestId, name: 'Fern' }, '40003', /9223372036854775807/],
  ['its name has a NUL', { id: '1', name: 'Fe\0rn' }, '40002', /^The plant is not valid: name .+\.$/],
])('shows the page why a plant is rejected: %s', async (_, plant, error, message) => {
  const shown = await createIn(page, plant);
  expect(shown).toMatchObject({ status: '400', error, message: expect.stringMatching(message) });
  expect(shown['requestId']).toMatch(/./);
});

it('shows the page that its token is not valid', async () => {
  const shown = await createIn(page, { id: '1', name: 'Fern' }, { ...service, token: 'unknown' });
  expect(shown).toMatchObject({ status: '401', error: '40101' });
});

it('shows the page when to retry', async () => {
  const endOutage = await service.database.beginOutage('closed');
  const shown = await createIn(page, { id: '1', name: 'Fern' });
  await endOutage();
  expect(shown).toMatchObject({ status: '503', error: '50301', retryAfter: expect.stringMatching(/^\d+$/) });
});

it('stores nothing for a page of another origin, which cannot reach the service', async () => {
  const shown = await createIn(otherOriginPage, { id: '2', name: 'Fern' });
  const { origin } = otherOriginPage;
  expect(shown).toMatchObject({
    rejectedWith: 'NetworkError',
    message: expect.stringMatching(new RegExp(`: unreachable, or it needs CORS_ORIGINS=${origin}$`)),
  });
  expect(service.logLines.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ level: 40, origin, msg: 'CORS_ORIGINS does not permit the origin of a page' }),
  );
  expect((await readPlants(service)).map(({ id }) => id)).toEqual([largestId]);
});

it('reports a redirect to the page without following it, though the browser hides its status and target', async () => {
  const moved = await serveRedirect(`${service.baseUrl}/plants`);
  onTestFinished(() => moved.stop());
  const shown = await createIn(page, { id: '3', name: 'Fern' }, { ...service, baseUrl: moved.baseUrl });
  expect(shown).toEqual({
    rejectedWith: 'UnexpectedResponseError',
    message: 'Unexpected response with status 0: redirect to another URL; update baseUrl',
  });
  expect(moved.redirected).toBe(1);
  expect((await readPlants(service)).map(({ id }) => id)).toEqual([largestId]);
});
