import { expect, it } from 'vitest';
import { commonHeaders, securityHeaders } from '../../src/http/security-headers.js';
import { reached, serveMiddleware } from '../support/serve-middleware.js';

it('sets the headers that every reply has', async () => {
  const { headers } = await serveMiddleware(commonHeaders).client.get('/').expect(200, reached);
  expect(headers).toMatchObject({ 'x-request-id': 'request-1' });
  for (const [name, value] of Object.entries(securityHeaders))
    expect(headers[name.toLowerCase()]).toBe(value);
});
