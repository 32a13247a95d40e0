import supertest from 'supertest';
import { expect, inject, it, vi } from 'vitest';
import { postPlant } from '../support/post-plant.js';
import { findLines, readLog } from '../support/read-log.js';
import { startTestService, useTestService } from '../support/start-test-service.js';

const service = useTestService();

const plant = { id: 1, name: 'Monstera' };
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

it("names the plant and the caller's span, which is passed on nowhere else", async () => {
  const { headers } = await postPlant(service, plant)
    .set('X-Request-Id', 'traced')
    .set('traceparent', `00-${traceId}-${spanId}-01`);
  const line = { msg: 'request', status: 200, plantId: '1', traceId, spanId };
  expect(await readLog(service, 'traced')).toMatchObject([line]);
  expect(JSON.stringify(headers)).not.toContain(traceId);
});

it('names no span if the header is not valid', async () => {
  await postPlant(service, plant).set('X-Request-Id', 'untraced').set('traceparent', `00-${traceId}-01`);
  const [line] = await readLog(service, 'untraced');
  expect(line).toMatchObject({ msg: 'request', status: 200 });
  expect(line).not.toHaveProperty('traceId');
  expect(line).not.toHaveProperty('spanId');
});

// The chance of a worker process is its own.
it.skipIf(inject('workers') > 1).each([
  ['errors', [0], []],
  ['sample=0.25', [0.2499, 0.25], [0.2499]],
])('has every error, and of the rest what LOG_REQUESTS=%s asks for', async (setting, chances, logged) => {
  const choosy = await startTestService({ LOG_REQUESTS: setting });
  const random = vi.spyOn(Math, 'random');
  for (const chance of chances) {
    random.mockReturnValue(chance);
    await postPlant(choosy, plant).set('X-Request-Id', `${chance}`).expect(200);
  }
  await supertest(choosy.baseUrl).put('/plants').set('X-Request-Id', 'wrong').expect(405);
  random.mockRestore();
  await readLog(choosy, 'wrong');
  const ids = findLines(choosy, 'request').map((line) => line['requestId']);
  expect(ids).toEqual([...logged.map(String), 'wrong']);
});
