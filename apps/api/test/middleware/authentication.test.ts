import { scopes } from '@plant-store/contract/access-token';
import { expect, it, vi } from 'vitest';
import type { Verification } from '../../src/auth/token-service.js';
import { bearerAuth, type VerifyUncached } from '../../src/http/middleware/bearer-auth.js';
import { ActiveCallers } from '../../src/runtime/callers.js';
import { reached, serveMiddleware } from '../support/serve-middleware.js';

const valid: Verification = { status: 'valid', subject: 'web-shop', scopes, acceptedUntil: Infinity };
const unknown: Verification = { status: 'unknown' };

/** Serves by middleware that finds a token in its cache as given; what is not there is valid. */
function serve(cached: Verification | undefined) {
  const verify = vi.fn<VerifyUncached>((_request, _text, known) => known ?? valid);
  return {
    ...serveMiddleware(bearerAuth({ verifyCached: () => cached }, verify, new ActiveCallers())),
    verify,
  };
}

it('verifies no token further that is known to be valid', async () => {
  const { client, verify } = serve(valid);
  await client.get('/').set('Authorization', 'Bearer abc').expect(200, reached);
  expect(verify).not.toHaveBeenCalled();
});

it.each([
  ['is not in the cache', undefined, 200],
  ['is known to be wrong', unknown, 401],
])('verifies a token further that %s', async (_, cached, status) => {
  const { client, verify } = serve(cached);
  await client.get('/').set('Authorization', 'bearer  abc').expect(status);
  expect(verify).toHaveBeenCalledExactlyOnceWith(expect.anything(), 'abc', cached);
});
