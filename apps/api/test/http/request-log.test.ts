import supertest from 'supertest';
import { expect, inject, it, onTestFinished, vi } from 'vitest';
import { postPlant } from '../support/post-plant.js';
import { readLog } from '../support/read-log.js';
import { startTestService } from '../support/start-test-service.js';

const plant = { id: 1, name: 'Monstera' };
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

/** Starts a service until the end of the test. */
async function start(environment: Readonly<Record<string, string>> = {}) {
  const service = await startTestService(environment);
  onTestFinished(async () => void (await service.stop()));
  return service;
}

it("names the caller's span, which is passed on nowhere else", async () => {
  const service = await start();
  const { headers } = await postPlant(service, plant)
    .set('X-Request-Id', 'traced')
    .set('traceparent', `00-${traceId}-${spanId}-01`);
  expect(await readLog(service, 'traced')).toMatchObject([{ msg: 'request', traceId, spanId }]);
  expect(JSON.stringify(headers)).not.toContain(traceId);
});

it('names no span if the header is not valid', async () => {
  const service = await start();
  await postPlant(service, plant).set('X-Request-Id', 'untraced').set('traceparent', `00-${traceId}-01`);
  const [line] = await readLog(service, 'untraced');
  expect(line).toMatchObject({ msg: 'request', status: 200 });
  expect(line).not.toHaveProperty('traceId');
  expect(line).not.toHaveProperty('spanId');
});

// The chance of a worker process is its own.
it.skipIf(inject('workers') > 1).each([
  { logged: 'errors', random: 0, ids: ['wrong'] },
  { logged: 'sample=0.25', random: 0.25, ids: ['wrong'] },
  { logged: 'sample=0.25', random: 0.2499, ids: ['stored', 'wrong'] },
  { logged: 'all', random: 0.9999, ids: ['stored', 'wrong'] },
])(
  'has the requests that LOG_REQUESTS=$logged asks for, when chance is $random',
  async ({ logged, random, ids }) => {
    const service = await start({ LOG_REQUESTS: logged });
    const chance = vi.spyOn(Math, 'random').mockReturnValue(random);
    onTestFinished(() => chance.mockRestore());
    await postPlant(service, plant).set('X-Request-Id', 'stored').expect(200);
    await supertest(service.baseUrl).put('/plants').set('X-Request-Id', 'wrong').expect(405);
    await readLog(service, 'wrong');
    const lines = service.logLines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(lines.filter(({ msg }) => msg === 'request').map(({ requestId }) => requestId)).toEqual(ids);
  },
);
