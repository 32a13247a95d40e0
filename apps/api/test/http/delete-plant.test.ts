import { expect, it } from 'vitest';
import { sendJson } from '../support/post-plant.js';
import { useTestService } from '../support/start-test-service.js';

const service = useTestService();

it('has no cache keep a plant beyond it, and HEAD the length of what GET gives', async () => {
  const send = (line: string, body?: object) => sendJson(service, line, body);
  const created = await send('POST /plants/batch', { plants: [{ id: 4, name: 'Moss' }] });
  expect([created.status, created.headers.get('cache-control')]).toEqual([200, 'no-store']);
  for (const path of ['/plants/4', '/plants']) {
    const [got, head] = [await send(`GET ${path}`), await send(`HEAD ${path}`)];
    const length = String((await got.arrayBuffer()).byteLength);
    expect([got.status, got.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect([head.status, head.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(head.headers.get('content-length')).toBe(length);
  }
  const deleted = await send('DELETE /plants/4');
  expect([deleted.status, deleted.headers.get('cache-control')]).toEqual([204, 'no-store']);
  expect(deleted.headers.has('content-length')).toBe(false);
});
