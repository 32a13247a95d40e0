import supertest from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { composePlantRequest, postPlant } from '../support/post-plant.js';
import { readLog } from '../support/read-log.js';
import { sendRaw } from '../support/send-raw.js';
import { startTestService, type TestService } from '../support/start-test-service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const plant = { id: 1, name: 'Monstera' };

describe('the request id', () => {
  it.each(['a', '42', 'req_1.a:b-C', '5f0c954e-1a41-4c8e-9d8c-3f0f4d2f9d55', 'x'.repeat(64)])(
    'is the one that the caller sent: %s',
    async (proposed) => {
      const { headers } = await postPlant(service, plant).set('X-Request-Id', proposed);
      expect(headers['x-request-id']).toBe(proposed);
      expect(await readLog(service, proposed)).toMatchObject([{ msg: 'request', status: 200, plantId: '1' }]);
    },
  );

  it.each(['', 'x'.repeat(65), 'a b', 'a/b', 'a"b', 'a{b}', 'a,b', 'caf\u00e9', '<script>', 'a%0d%0ab'])(
    'is generated instead of %j',
    async (proposed) => {
      const request = composePlantRequest(service, JSON.stringify(plant), { 'X-Request-Id': proposed });
      const { headers } = await sendRaw(service.baseUrl, request);
      expect(headers['x-request-id']).toMatch(uuid);
      expect(await readLog(service, headers['x-request-id'])).toHaveLength(1);
    },
  );

  it('is generated if there are two', async () => {
    const ids = { 'X-Request-Id': 'a', 'x-request-id': 'b' };
    const request = composePlantRequest(service, JSON.stringify(plant), ids);
    expect((await sendRaw(service.baseUrl, request)).headers['x-request-id']).toMatch(uuid);
  });

  it('is generated for each request without one', async () => {
    const replies = await Promise.all(Array.from({ length: 5 }, () => postPlant(service, plant)));
    const ids = replies.map(({ headers }) => headers['x-request-id']);
    expect(new Set(ids).size).toBe(ids.length);
    for (const id of ids) expect(id).toMatch(uuid);
  });

  it('is kept for a rejected request too', async () => {
    const { status, headers } = await supertest(service.baseUrl)
      .get('/plant')
      .set('X-Request-Id', 'rejected');
    expect([status, headers['x-request-id']]).toEqual([404, 'rejected']);
    expect(await readLog(service, 'rejected')).toMatchObject([{ status: 404, error: 40400, path: '/plant' }]);
  });
});
