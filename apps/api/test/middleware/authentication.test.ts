import { expect, it, vi } from 'vitest';
import type { AccessTokens, Verification } from '../../src/auth/access-tokens.js';
import { bearerAuth } from '../../src/http/middleware/bearer-auth.js';
import { reached, serveMiddleware } from '../support/serve-middleware.js';

const valid: Verification = { status: 'valid', subject: 'web-shop' };
const unknown: Verification = { status: 'unknown' };

/** Serves by middleware that finds a token in its cache as given; what is not there is valid. */
function serve(cached: Verification | undefined, verifyFurther?: () => Verification) {
  const verify = vi.fn<(text: string) => Verification>(() => valid);
  const tokens = { verifyCached: () => cached, verify } as unknown as AccessTokens;
  return { ...serveMiddleware(bearerAuth(tokens, verifyFurther)), verify };
}

it('verifies no token further that is known to be valid', async () => {
  const further = vi.fn<() => Verification>(() => unknown);
  const { client, verify } = serve(valid, further);
  await client.get('/').set('Authorization', 'Bearer abc').expect(200, reached);
  expect(further).not.toHaveBeenCalled();
  expect(verify).not.toHaveBeenCalled();
});

it('looks a token up that is not in the cache, and none that is known to be wrong', async () => {
  const absent = serve(undefined);
  await absent.client.get('/').set('Authorization', 'bearer  abc').expect(200, reached);
  expect(absent.verify).toHaveBeenCalledExactlyOnceWith('abc');
  const wrong = serve(unknown);
  await wrong.client.get('/').set('Authorization', 'Bearer abc').expect(401);
  expect(wrong.verify).not.toHaveBeenCalled();
});

it.each(['XBearer abc', 'Basic Bearer abc', 'Bearer', 'Bearer '])(
  'finds no token in "%s"',
  async (header) => {
    const { client, verify } = serve(undefined);
    await client
      .get('/')
      .set('Authorization', header)
      .expect(401)
      .expect('WWW-Authenticate', 'Bearer realm="plant-store"');
    expect(verify).not.toHaveBeenCalled();
  },
);
