import { Agent } from 'node:http';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { generateAccessToken } from '../../src/auth/token-service.js';
import { expectError, type Reply } from '../support/expect-error.js';
import { type AddressedRequest, postFromAddress } from '../support/get-file.js';
import { startTestService, type TestService } from '../support/start-test-service.js';
import { until } from '../support/until.js';

/** The default limit, which the other tests raise. */
const byDefault = { AUTH_FAILURES_PER_MINUTE: '', ADMIN_PORT: '0' };
const failures = 30;
const malformed = 'secret';
const message =
  'Too many requests from this address had no valid access token. Check the token, and try again in';

type Sent = Partial<AddressedRequest>;

const agent = new Agent({ keepAlive: true, maxSockets: 100 });
let nextId = 1;
let service: TestService;

beforeAll(async () => {
  service = await startTestService({ ...byDefault, TRUSTED_PROXIES: '127.0.0.8' });
});
afterAll(async () => {
  agent.destroy();
  await service.stop();
});

function create({ baseUrl }: TestService, sent: Sent): Promise<Reply> {
  return postFromAddress(baseUrl, { from: '127.0.0.1', id: nextId++, agent, ...sent });
}

/** Sends malformed tokens until the limit of an address is reached; each gets the usual error. */
async function exhaust(sent: Sent, of = service): Promise<void> {
  for (let count = 0; count < failures; count++) {
    expectError(await create(of, { token: malformed, ...sent }), 'invalid_token', 'mistyped');
  }
}

function readLog({ logLines }: TestService, text: string): Record<string, unknown>[] {
  return logLines.map((line) => JSON.parse(line)).filter(({ msg }) => msg.startsWith(text));
}

async function readMetric({ adminUrl }: TestService, name: string): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
}

it('lets few of 1,000 wrong tokens at once reach the database, and no other address notices', async () => {
  const flooded = await startTestService(byDefault);
  onTestFinished(async () => void (await flooded.stop()));
  const startedAt = performance.now();
  const wrong = Array.from({ length: 1_000 }, () => create(flooded, { token: generateAccessToken() }));
  expect((await create(flooded, { from: '127.0.0.2', token: flooded.token })).status).toBe(200);
  const replies = await Promise.all(wrong);
  const minutes = Math.ceil((performance.now() - startedAt) / 60_000);

  // An address that is limited may still look up one a second.
  const lookUps = minutes * (failures + 61);
  const failed = replies.filter(({ status }) => status === 401);
  expect(failed.length).toBeGreaterThanOrEqual(failures);
  expect(failed.length).toBeLessThanOrEqual(lookUps);
  expect(await readMetric(flooded, 'plant_store_token_lookups_total')).toBeLessThanOrEqual(lookUps + 1);
  const limited = replies.filter(({ status }) => status !== 401);
  for (const reply of limited) expectError(reply, 'rate_limited', message);
  expect(await readMetric(flooded, 'plant_store_authentication_limited_total')).toBe(limited.length);

  const unaffected = await create(flooded, { from: '127.0.0.2', token: generateAccessToken() });
  expectError(unaffected, 'invalid_token', 'is not known here');
});

it('still accepts a token in use from an address that is limited, and others within seconds', async () => {
  const from = '127.0.0.3';
  const { text: inUse } = await service.accessTokens.issue({ name: 'in use' });
  const { text: unused } = await service.accessTokens.issue({ name: 'unused' });
  expect((await create(service, { from, token: inUse })).status).toBe(200);
  await exhaust({ from });
  expectError(await create(service, { from, token: malformed }), 'rate_limited', message);
  expect((await create(service, { from, token: inUse })).status).toBe(200);
  await until(async () => (await create(service, { from, token: unused })).status === 200);
});

it('does not count requests without a token, and answers them as always', async () => {
  const from = '127.0.0.4';
  for (let count = 0; count < failures + 1; count++) {
    expectError(await create(service, { from }), 'missing_token', 'An access token is needed.');
  }
  await exhaust({ from });
  expectError(await create(service, { from }), 'missing_token', 'An access token is needed.');
});

it('logs once that an address is limited', async () => {
  const clientAddress = '127.0.0.5';
  await exhaust({ from: clientAddress });
  for (let count = 0; count < 3; count++) await create(service, { from: clientAddress, token: malformed });
  const lines = readLog(service, 'authentication limited').filter(
    (line) => line['clientAddress'] === clientAddress,
  );
  expect(lines).toEqual([expect.objectContaining({ level: 40, seconds: expect.any(Number) })]);
});

it('counts by the address that a trusted proxy reports', async () => {
  const proxy = { from: '127.0.0.8' };
  await exhaust({ ...proxy, forwardedFor: '203.0.113.5, 192.0.2.1' });
  const limited = await create(service, { ...proxy, forwardedFor: '192.0.2.1', token: malformed });
  expectError(limited, 'rate_limited', message);
  const other = await create(service, { ...proxy, forwardedFor: '192.0.2.1, 192.0.2.2', token: malformed });
  expectError(other, 'invalid_token', 'mistyped');
});

it('counts what a trusted proxy reports in no valid form by the address of the proxy', async () => {
  for (let count = 0; count < failures; count++) {
    const forwardedFor = ['unknown', `192.0.2.3:x${count}`, `x${count}`, ''][count % 4];
    const reply = await create(service, { from: '127.0.0.8', forwardedFor, token: malformed });
    expectError(reply, 'invalid_token', 'mistyped');
  }
  const limited = await create(service, { from: '127.0.0.8', forwardedFor: 'any', token: malformed });
  expectError(limited, 'rate_limited', message);
});

it.each(['127.0.0.6', '127.0.0.7'])(
  'counts by the address of the connection otherwise, and warns once of what may be a proxy: %s',
  async (from) => {
    for (let count = 0; count < failures; count++) {
      const reply = await create(service, { from, forwardedFor: `192.0.2.${100 + count}`, token: malformed });
      expectError(reply, 'invalid_token', 'mistyped');
    }
    for (let count = 0; count < 3; count++) {
      const limited = await create(service, {
        from,
        forwardedFor: `192.0.2.${200 + count}`,
        token: malformed,
      });
      expectError(limited, 'rate_limited', message);
    }
    const warnings = await until(() => {
      const lines = readLog(service, 'X-Forwarded-For').filter(({ proxyAddress }) => proxyAddress === from);
      return lines.length > 0 && lines;
    });
    expect(warnings).toEqual([expect.objectContaining({ level: 40 })]);
  },
);

it('logs the number of rejected requests when it stops', async () => {
  const stopped = await startTestService(byDefault);
  await exhaust({}, stopped);
  for (let count = 0; count < 3; count++) await create(stopped, { token: malformed });
  await stopped.stop();
  expect(readLog(stopped, 'authentication limit over')).toEqual([
    expect.objectContaining({ level: 40, clientAddress: '127.0.0.1', rejected: 3 }),
  ]);
});

it('has no limit where it is 0', async () => {
  const unlimited = await startTestService({ AUTH_FAILURES_PER_MINUTE: '0' });
  await exhaust({}, unlimited);
  await exhaust({}, unlimited);
  await unlimited.stop();
});
