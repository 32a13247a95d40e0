import { createServer } from 'node:http';
import type { createClient } from '@plant-store/client';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listen } from '../support/listen.js';
import { readLog } from '../support/read-log.js';
import { readPlants } from '../support/read-plants.js';
import { startTestService, type TestService } from '../support/start-test-service.js';
import { setUpBrowser } from './page/support/set-up.js';
import { servePage } from './serve-page.js';

const script = `import { createClient } from '@plant-store/client'; Object.assign(globalThis, { createClient });`;

const shared = setUpBrowser();
let permitted: Awaited<ReturnType<typeof servePage>>;
let other: typeof permitted;
let service: TestService;
beforeAll(async () => {
  permitted = await servePage(shared.browser, script);
  other = await servePage(shared.browser, script);
  service = await startTestService({ CORS_ORIGINS: permitted.origin });
}, 60_000);
afterAll(async () => {
  for (const served of [permitted, other]) served?.stop();
  await service?.stop();
});

const largest = { id: 9223372036854775807n, name: 'Monstera' };
const fern = { id: 1n, name: 'Fern' };

/** Creates a plant in a page, and returns what the page sees of the reply, or of what is thrown. */
function createIn(
  { page }: typeof permitted,
  body: { readonly id: bigint; readonly name: string },
  { baseUrl, token }: { readonly baseUrl: string; readonly token: string } = service,
) {
  return page.evaluate(
    async ({ body, ...options }) => {
      const client = (globalThis as unknown as { createClient: typeof createClient }).createClient(options);
      try {
        const reply = await client.createPlant({ body });
        return { ...reply, headers: undefined, retryAfter: reply.headers.get('Retry-After') };
      } catch (error) {
        const { name, message } = error as Error;
        return { name, message };
      }
    },
    { body, baseUrl, token, retries: 0 },
  );
}

it('stores the largest id exactly, after a preflight, and shows the request id to the page', async () => {
  const shown = await createIn(permitted, largest);
  expect(shown).toMatchObject({ status: 200, body: { name: 'Monstera' }, replayed: false });
  expect(await readPlants(service)).toEqual([{ ...largest, id: `${largest.id}`, tag: null }]);
  const requestId = 'requestId' in shown ? String(shown.requestId) : '';
  expect(await readLog(service, requestId)).toMatchObject([{ method: 'POST', plantId: `${largest.id}` }]);
  expect(service.logLines.map((line) => JSON.parse(line))).toMatchObject([
    { method: 'OPTIONS', path: '/plants', status: 204 },
    { method: 'POST', path: '/plants', status: 200 },
  ]);
});

it.each([
  ['was stored before', largest, {}, { status: 200, replayed: true }],
  ['has a taken id', { ...largest, name: 'Fern' }, {}, { status: 400, body: { error: 40003 } }],
  ['is not valid', { ...fern, name: 'Fe\0rn' }, {}, { status: 400, body: { error: 40002 } }],
  ['has no valid token', fern, { token: 'unknown' }, { status: 401, body: { error: 40101 } }],
])('shows the page the reply to a plant that %s', async (_, plant, changes, expected) => {
  const shown = await createIn(permitted, plant, { ...service, ...changes });
  expect(shown).toMatchObject({ ...expected, requestId: expect.stringMatching(/./) });
});

it('shows the page when to retry', async () => {
  const endOutage = await service.database.beginOutage('closed');
  const shown = await createIn(permitted, fern);
  await endOutage();
  expect(shown).toMatchObject({ status: 503, retryAfter: expect.stringMatching(/^\d+$/) });
});

it('stores nothing for a page of another origin, which cannot reach the service', async () => {
  const { origin } = other;
  expect(await createIn(other, fern)).toEqual({
    name: 'NetworkError',
    message: expect.stringMatching(new RegExp(`; it may need CORS_ORIGINS=${origin}$`)),
  });
  expect(service.logLines.map((line) => JSON.parse(line))).toContainEqual(
    expect.objectContaining({ level: 40, origin, msg: 'the origin of a page is not in CORS_ORIGINS' }),
  );
  expect(await readPlants(service)).toHaveLength(1);
});

it('reports a redirect to the page without following it, though the browser hides its status and target', async () => {
  let redirected = 0;
  const moved = createServer(({ method }, response) => {
    const isPreflight = method === 'OPTIONS';
    if (!isPreflight) redirected++;
    response.writeHead(isPreflight ? 204 : 308, {
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Allow-Headers': 'Authorization, Content-Type',
      Location: `${service.baseUrl}/plants`,
    });
    response.end();
  });
  const baseUrl = await listen(moved);
  expect(await createIn(permitted, fern, { ...service, baseUrl })).toEqual({
    name: 'UnexpectedResponseError',
    message: `POST ${baseUrl}/plants got a redirect to another URL; update baseUrl`,
  });
  expect(redirected).toBe(1);
  expect(await readPlants(service)).toHaveLength(1);
});
