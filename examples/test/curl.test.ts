import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { createClient } from '@plant-store/client';
import { expect, it } from 'vitest';
import { findExample } from './support/example.ts';
import { listen } from './support/listen.ts';
import { run } from './support/process.ts';

it('sends what the client sends', async () => {
  const requests: object[] = [];
  const server = createServer(async (request, response) => {
    const { accept, authorization, 'content-type': type } = request.headers;
    requests.push([request.method, request.url, accept, authorization, type, await text(request)]);
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"name":"Rose"}');
  });
  const baseUrl = await listen(server);
  const { folder } = findExample('curl');
  const body = '{"id":9223372036854775807,"name":"Rose"}';
  const environment = { PLANT_STORE_URL: baseUrl, PLANT_STORE_TOKEN: 'pst_example' };
  const { stdout } = await run(['sh', 'add-plant.sh', body], { folder, environment });
  expect(stdout).toBe('{"name":"Rose"}');

  const client = createClient({ baseUrl, token: 'pst_example' });
  await client.createPlant({ body: { id: 9223372036854775807n, name: 'Rose' } });
  expect(requests).toHaveLength(2);
  expect(requests[0]).toEqual(requests[1]);
});
