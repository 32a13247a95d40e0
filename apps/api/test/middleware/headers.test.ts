import { expect, it } from 'vitest';
import { cors } from '../../src/http/middleware/cors.js';
import { checkHeaders } from '../../src/http/middleware/request-head.js';
import { commonHeaders, securityHeaders } from '../../src/http/security-headers.js';
import { reached, serveMiddleware } from '../support/serve-middleware.js';

const origin = 'https://app.example.com';

it('counts only Host as Host', async () => {
  await serveMiddleware(checkHeaders).client.get('/').set('From', 'a@b').expect(200, reached);
});

it('sets the headers that every reply has', async () => {
  const { headers } = await serveMiddleware(commonHeaders).client.get('/').expect(200, reached);
  expect(headers).toMatchObject({ 'x-request-id': 'request-1' });
  for (const [name, value] of Object.entries(securityHeaders))
    expect(headers[name.toLowerCase()]).toBe(value);
});

it('answers preflights of the origin, and only these', async () => {
  const { client } = serveMiddleware(cors([origin]));
  const preflight = { Origin: origin, 'Access-Control-Request-Method': 'POST' };
  await client.options('/').set(preflight).expect(204).expect('X-Request-Id', 'request-1');
  await client.get('/').set(preflight).expect(200, reached).expect('Access-Control-Allow-Origin', origin);
  await client.options('/').set('Origin', origin).expect(200, reached);
  const { headers } = await client.options('/').set({ ...preflight, Origin: 'https://evil.example' });
  expect(headers).not.toHaveProperty('access-control-allow-origin');
  expect(headers).toMatchObject({ vary: 'Origin' });
});
