import { expect, inject, it } from 'vitest';
import { expectError } from '../support/expect-error.js';
import { expectStored } from '../support/expect-stored.js';
import { postPlant } from '../support/post-plant.js';
import { readPlants } from '../support/read-plants.js';
import { useTestService } from '../support/start-test-service.js';

// How a token may be written is in packages/contract/test/request-cases.ts.

const service = useTestService();

const plant = { id: 1, name: 'Monstera' };
const post = (token: string) => postPlant({ ...service, token }, plant);

it('rejects a token that has expired, or was revoked before its first use', async () => {
  const expired = await service.accessTokens.issue({ name: 'expired', expiresAt: new Date(Date.now() - 1) });
  expectError(await post(expired.secret), 'invalid_token', 'has expired');
  const revoked = await service.accessTokens.issue({ name: 'revoked' });
  await service.accessTokens.revoke(revoked.token.id);
  expectError(await post(revoked.secret), 'invalid_token', 'was revoked');
  expect(await readPlants(service)).toEqual([]);
});

it('accepts a token that expires later', async () => {
  const expiresAt = new Date(Date.now() + 3_600_000);
  const { secret: text } = await service.accessTokens.issue({ name: 'expires', expiresAt });
  await expectStored(service, post(text), { id: '1', name: 'Monstera', tag: null });
});

// In another process than that of the tokens it takes up to 3 seconds, as after the command `token revoke`.
it.skipIf(inject('workers') > 1)(
  'rejects a token in use as soon as it is revoked, and no other',
  async () => {
    const { secret: text, token } = await service.accessTokens.issue({ name: 'to revoke' });
    expect((await post(text)).status).toBe(200);
    await service.accessTokens.revoke(token.id);
    expectError(await post(text), 'invalid_token', 'was revoked');
    expect((await post(service.token)).status).toBe(200);
  },
);
