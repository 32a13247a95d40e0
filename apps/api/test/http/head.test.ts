import { afterAll, beforeAll, expect, it } from 'vitest';
import { postPlant } from '../support/post-plant.js';
import { startTestService, type TestService } from '../support/start-test-service.js';

let service: TestService;
beforeAll(async () => {
  service = await startTestService();
  await postPlant(service, { id: 0, name: 'Fern' });
});
afterAll(() => service.stop());

it.each(['/plants', '/plants/0'])('answers HEAD with the length of what GET gives: %s', async (path) => {
  const send = (method: string) =>
    fetch(service.baseUrl + path, { method, headers: { Authorization: `Bearer ${service.token}` } });
  const length = (await send('HEAD')).headers.get('content-length');
  expect(length).toBe(String(Buffer.byteLength(await (await send('GET')).text())));
});
