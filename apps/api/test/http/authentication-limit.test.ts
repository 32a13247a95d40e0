import { Agent } from 'node:http';
import { afterAll, expect, it } from 'vitest';
import { generateAccessToken } from '../../src/auth/token-service.js';
import { readMetric } from '../support/admin-port.js';
import { expectError, type Reply } from '../support/expect-error.js';
import { type AddressedRequest, postFromAddress } from '../support/get-file.js';
import { composePlantRequest } from '../support/post-plant.js';
import { sendRaw } from '../support/send-raw.js';
import { useTestService } from '../support/start-test-service.js';
import { until } from '../support/until.js';

// What is counted, and when a token is looked up again, is in src/http/middleware/limit-authentication.test.ts, and what a proxy may
// report in src/http/middleware/client-address.test.ts.

/** The default limit, which the other tests raise. */
const byDefault = { AUTH_FAILURES_PER_MINUTE: '', ADMIN_PORT: '0' };
const failures = 30;
const malformed = 'secret';
const message =
  'Too many requests from this address had no valid access token. Check the token, and try again in';

const agent = new Agent({ keepAlive: true, maxSockets: 100 });
let nextId = 1;
const service = useTestService({ ...byDefault, TRUSTED_PROXIES: '127.0.0.8' });
afterAll(() => agent.destroy());

function create(sent: Partial<AddressedRequest>): Promise<Reply> {
  return postFromAddress(service.baseUrl, { from: '127.0.0.1', id: nextId++, agent, ...sent });
}

/** Sends malformed tokens until the limit of an address is reached; each gets the usual error. */
async function exhaust(from: string, forwardedFor?: string): Promise<void> {
  for (let count = 0; count < failures; count++) {
    const reply = await create({ from, token: malformed, forwardedFor });
    expectError(reply, 'invalid_token', 'mistyped');
  }
}

it('lets few of 300 wrong tokens at once reach the database, and no other address notices', async () => {
  const startedAt = performance.now();
  const wrong = Array.from({ length: 300 }, () => create({ token: generateAccessToken() }));
  expect((await create({ from: '127.0.0.2', token: service.token })).status).toBe(200);
  const replies = await Promise.all(wrong);
  const minutes = Math.ceil((performance.now() - startedAt) / 60_000);

  // An address that is limited may still look up one a second.
  const lookUps = minutes * (failures + 61);
  const failed = replies.filter(({ status }) => status === 401);
  expect(failed.length).toBeGreaterThanOrEqual(failures);
  expect(failed.length).toBeLessThanOrEqual(lookUps);
  expect(await readMetric(service, 'plant_store_token_lookups_total')).toBeLessThanOrEqual(lookUps + 1);
  const limited = replies.filter(({ status }) => status !== 401);
  for (const reply of limited) expectError(reply, 'rate_limited', message);
  expect(await readMetric(service, 'plant_store_authentication_limited_total')).toBe(limited.length);

  const unaffected = await create({ from: '127.0.0.2', token: generateAccessToken() });
  expectError(unaffected, 'invalid_token', 'is unknown');

  const headers = { Authorization: `Bearer ${malformed}`, 'Content-Type': 'text/plain' };
  const malformedInAll = await sendRaw(service.baseUrl, composePlantRequest(service, '{', headers));
  expectError(malformedInAll, 'rate_limited', message);
});

it('accepts a token in use from an address that is limited, others within seconds, and still asks for one', async () => {
  const from = '127.0.0.3';
  const { secret: inUse } = await service.accessTokens.issue({ name: 'in use' });
  const { secret: unused } = await service.accessTokens.issue({ name: 'unused' });
  expect((await create({ from, token: inUse })).status).toBe(200);
  await exhaust(from);
  expectError(await create({ from, token: malformed }), 'rate_limited', message);
  expectError(await create({ from }), 'missing_token', 'The request has no access token.');
  expect((await create({ from, token: inUse })).status).toBe(200);
  await until(async () => (await create({ from, token: unused })).status === 200);
});

it('counts by the address that a trusted proxy reports', async () => {
  const from = '127.0.0.8';
  await exhaust(from, '203.0.113.5, 192.0.2.1');
  const limited = await create({ from, forwardedFor: '192.0.2.1', token: malformed });
  expectError(limited, 'rate_limited', message);
  const other = await create({ from, forwardedFor: '192.0.2.1, 192.0.2.2', token: malformed });
  expectError(other, 'invalid_token', 'mistyped');
});
