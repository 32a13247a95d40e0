import { ServiceError } from '@plant-store/records';
import type { Request } from 'express';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Verification } from '../../auth/token-service.js';
import type { VerifyUncached } from './bearer-auth.js';
import { limitAuthentication, maxRemembered } from './limit-authentication.js';

const failuresPerMinute = 3;
const unknown = { status: 'unknown' } as const;
const valid = { status: 'valid', token: {} } as Verification;

let lookUps: string[];
let cache: Map<string, Verification>;
/** Answers look-ups; by default tokens that begin with `right` are valid. */
let answer: (text: string) => Promise<Verification>;
let events: unknown[][];
let limit: VerifyUncached;
let stopping: AbortController;

beforeEach(() => {
  // lru-cache treats a start time of 0 as unset.
  vi.useFakeTimers().advanceTimersByTime(1);
  lookUps = [];
  events = [];
  cache = new Map();
  answer = async (text) => (text.startsWith('right') ? valid : unknown);
  limit = createLimit(failuresPerMinute);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function createLimit(authFailuresPerMinute: number): VerifyUncached {
  stopping = new AbortController();
  return limitAuthentication({
    accessTokens: {
      verifyCached: (text) => cache.get(text),
      verify(text) {
        lookUps.push(text);
        return answer(text);
      },
    },
    authFailuresPerMinute,
    log: { warn: (...line: unknown[]) => void events.push(line) },
    stopping: stopping.signal,
  });
}

const a = '192.0.2.1';
const b = '192.0.2.2';

function requestFrom(remoteAddress: string): Request {
  return { headers: {}, ips: [], socket: { remoteAddress } } as unknown as Request;
}

/** Verifies a token as the service does; returns the status, or after how many seconds it may be sent again. */
async function verify(text: string, address = a): Promise<string | number> {
  try {
    return (await limit(requestFrom(address), text, cache.get(text))).status;
  } catch (error) {
    if (!(error instanceof ServiceError) || error.errorName !== 'rate_limited') throw error;
    return Number(error.headers['Retry-After']);
  }
}

/** Uses up the failures of an address. */
async function exhaust(address = a, failures = failuresPerMinute): Promise<void> {
  for (let count = 0; count < failures; count++) {
    expect(await verify(`wrong ${address} ${count}`, address)).toBe('unknown');
  }
  lookUps.length = 0;
}

it('looks up no more tokens of an address after as many failures as are allowed, until a minute is over', async () => {
  await exhaust();
  vi.advanceTimersByTime(600);
  expect(await verify(`wrong ${a} 0`)).toBe(60);
  expect(lookUps).toEqual([]);
  expect(await verify('wrong', b)).toBe('unknown');
  vi.advanceTimersByTime(59_401);
  await exhaust();
});

it('has no limit of 0', async () => {
  limit = createLimit(0);
  await exhaust();
  await exhaust();
  cache.set('cached', unknown);
  expect(await verify('cached')).toBe('unknown');
  expect(lookUps).toEqual([]);
});

it.each(['malformed', 'expired', 'revoked', 'unknown'] as const)(
  'counts tokens that are %s',
  async (status) => {
    cache.set('token', { status });
    for (let count = 0; count < failuresPerMinute; count++) expect(await verify('token')).toBe(status);
    expect(await verify('token')).toBe(60);
    expect(lookUps).toEqual([]);
  },
);

it('does not count tokens that are valid', async () => {
  for (let count = 0; count < 10; count++) expect(await verify(`right ${count}`)).toBe('valid');
  void verify('right');
  expect(vi.getTimerCount()).toBe(0);
  expect(await verify('wrong')).toBe('unknown');
  expect(vi.getTimerCount()).toBe(1);
});

it('looks up a token that was valid the last time, no matter how many others of its address fail', async () => {
  expect(await verify('right')).toBe('valid');
  await exhaust();
  for (let count = 0; count < 10; count++) expect(await verify('right')).toBe('valid');
  answer = async () => ({ status: 'revoked' });
  expect(await verify('right')).toBe('revoked');
  expect(await verify('right')).toBe(60);
  expect(lookUps).toHaveLength(11);
});

it('starts no more concurrent look-ups than the remaining failures allow', async () => {
  const statuses: unknown[] = [];
  for (let index = 0; index < 100; index++)
    void verify(`wrong ${index}`).then((status) => statuses.push(status));
  await vi.advanceTimersByTimeAsync(0);
  // One waits for the look-up that the next second allows.
  expect(statuses.filter((status) => status === 1)).toHaveLength(100 - failuresPerMinute - 1);
  expect(lookUps).toHaveLength(failuresPerMinute);
});

it('accepts many concurrent look-ups of valid tokens', async () => {
  let inFlight = 0;
  let most = 0;
  answer = async () => {
    most = Math.max(most, ++inFlight);
    await Promise.resolve();
    inFlight--;
    return valid;
  };
  const statuses = await Promise.all(Array.from({ length: 100 }, (_, index) => verify(`right ${index}`)));
  expect(new Set(statuses)).toEqual(new Set(['valid']));
  expect(most).toBe(failuresPerMinute);
  expect(vi.getTimerCount()).toBe(0);
});

it('uses the result of another look-up of the same token, and frees its place', async () => {
  answer = async (text) => {
    await Promise.resolve();
    cache.set(text, valid);
    return valid;
  };
  const texts = Array.from({ length: 100 }, (_, index) => `right ${index % 4}`);
  const statuses = await Promise.all(texts.map((text) => verify(text)));
  expect(new Set(statuses)).toEqual(new Set(['valid']));
  expect(lookUps.length).toBeLessThan(10);
});

it('counts a request that waited for a look-up, and finds its token is not valid', async () => {
  const released = Promise.withResolvers<void>();
  answer = async (text) => {
    await released.promise;
    return text.startsWith('right') ? valid : unknown;
  };
  const first = Array.from({ length: failuresPerMinute }, (_, index) => verify(`right ${index}`));
  const waiting = Array.from({ length: 10 }, () => verify('wrong'));
  cache.set('wrong', unknown);
  released.resolve();
  expect(new Set(await Promise.all(first))).toEqual(new Set(['valid']));
  await vi.advanceTimersByTimeAsync(1_000);
  const statuses = await Promise.all(waiting);
  expect(statuses.filter((status) => status === 'unknown')).toHaveLength(failuresPerMinute);
  expect(statuses.filter((status) => typeof status === 'number')).toHaveLength(10 - failuresPerMinute);
});

it('does not count a look-up that cannot be made, and rejects callers that wait for it', async () => {
  answer = () => Promise.reject(new Error('away'));
  const sent = Array.from({ length: 10 }, (_, index) => verify(`wrong ${index}`));
  const results = await Promise.allSettled(sent);
  expect(results.map(({ status }) => status)).toEqual(Array(10).fill('rejected'));
  expect(lookUps).toHaveLength(failuresPerMinute);
  expect(vi.getTimerCount()).toBe(0);
  answer = async () => unknown;
  await exhaust();
});

it('lets waiting look-ups continue when the identity provider is unavailable', async () => {
  const away = new ServiceError('identity_provider_unavailable', 'The provider is away.');
  answer = (text) => (text.startsWith('away') ? Promise.reject(away) : Promise.resolve(valid));
  const sent = ['away 0', 'away 1', 'away 2', 'right'].map((text) => verify(text));
  const results = await Promise.allSettled(sent);
  const rejected = { status: 'rejected', reason: away };
  expect(results).toEqual([rejected, rejected, rejected, { status: 'fulfilled', value: 'valid' }]);
});

it('limits look-ups of each kind of token separately', async () => {
  answer = (text) => (text.startsWith('jwt') ? new Promise(() => undefined) : Promise.resolve(unknown));
  for (let count = 0; count <= failuresPerMinute; count++) void verify(`jwt ${count}`);
  for (let count = 0; count < failuresPerMinute; count++)
    expect(await verify(`pst_wrong ${count}`)).toBe('unknown');
});

it('counts together the look-ups of an address at the same time, until all have ended', async () => {
  const released = Promise.withResolvers<void>();
  answer = () => released.promise.then(() => valid);
  const sent = [verify('right 0'), verify('right 1'), verify('right 2')];
  cache.set('wrong', unknown);
  for (let count = 0; count < failuresPerMinute; count++) await verify('wrong');
  expect(await verify('wrong')).toBe(60);
  await vi.advanceTimersByTimeAsync(60_001);
  expect(await verify('wrong')).toBe('unknown');
  released.resolve();
  expect(await Promise.all(sent)).toEqual(['valid', 'valid', 'valid']);
  for (let count = 1; count < failuresPerMinute; count++) expect(await verify('wrong')).toBe('unknown');
  expect(await verify('wrong')).toBe(60);
});

it('reports an address with its first rejection, and at the end how many there were', async () => {
  await exhaust();
  expect(events).toEqual([]);
  for (let count = 0; count < 5; count++) await verify(`wrong ${a} 0`);
  expect(events).toEqual([[{ clientAddress: a, seconds: 60 }, 'authentication limited']]);
  vi.advanceTimersByTime(60_001);
  expect(events.slice(1)).toEqual([[{ clientAddress: a, rejected: 5 }, 'authentication limit ended']]);
  expect(vi.getTimerCount()).toBe(0);
});

it('reports the count so far when the service stops', async () => {
  for (const address of [a, b]) await exhaust(address);
  await verify(`wrong ${b} 0`, b);
  stopping.abort();
  expect(events.slice(1)).toEqual([[{ clientAddress: b, rejected: 1 }, 'authentication limit ended']]);
});

it('forgets the address whose latest request is the longest ago when there are too many', async () => {
  cache.set('wrong', unknown);
  await exhaust('198.51.100.1');
  await exhaust('198.51.100.2');
  for (let index = 2; index < maxRemembered; index++)
    await verify('wrong', `10.0.${index >> 8}.${index & 255}`);
  expect(await verify('wrong', '198.51.100.1')).toBe(60);
  await verify('wrong', b);
  expect(await verify('wrong', '198.51.100.1')).toBe(60);
  expect(await verify('wrong', '198.51.100.2')).toBe('unknown');
  expect(vi.getTimerCount()).toBe(maxRemembered);
});

it.each([
  ['of an address that is not trusted', '203.0.113.7', [], 1],
  ['of a trusted proxy', '203.0.113.7', ['203.0.113.7'], 0],
  ['no header', undefined, [], 0],
])('warns once of X-Forwarded-For that is ignored: %s', async (_, forwarded, ips, warnings) => {
  const request = { headers: { 'x-forwarded-for': forwarded }, ips, socket: { remoteAddress: a } };
  const send = () => limit(request as unknown as Request, 'malformed', { status: 'malformed' });
  for (let count = 0; count < failuresPerMinute; count++) void send();
  for (let count = 0; count < 2; count++) expect(send).toThrow('Too many requests from this address');
  const warning = 'X-Forwarded-For is ignored because its sender is not in TRUSTED_PROXIES';
  expect(events.slice(1)).toEqual(Array(warnings).fill([{ proxyAddress: a }, warning]));
});

describe('for a limited address', () => {
  const failures = 30;

  beforeEach(async () => {
    limit = createLimit(failures);
    await exhaust(a, failures);
  });

  /** Sends so many wrong tokens a second, each as often as given, a second apart. */
  function flood(perSecond: number, times = 1): void {
    let next = 0;
    const send = () => {
      const text = `flood ${next++}`;
      for (let time = 0; time < times; time++) setTimeout(() => verify(text), time * 1_000);
    };
    setInterval(send, (times * 1_000) / perSecond);
  }

  /** Sends a token again whenever `Retry-After` allows it, until it is accepted; returns how often it was sent. */
  async function sendUntilAccepted(text: string): Promise<number> {
    for (let tries = 1; ; tries++) {
      const status = await verify(text);
      if (typeof status !== 'number') return tries;
      await new Promise((resolve) => setTimeout(resolve, status * 1_000));
    }
  }

  it.each([
    { maxTries: 2, seconds: 3, perSecond: 10, times: 1 },
    { maxTries: 2, seconds: 3, perSecond: 100, times: 1 },
    { maxTries: 2, seconds: 3, perSecond: 1_000, times: 1 },
    { maxTries: 11, seconds: 22, perSecond: 10, times: 10 },
  ])(
    'accepts a token within $maxTries tries and $seconds s beside $perSecond wrong ones a second, each sent $times times',
    async ({ maxTries, seconds, perSecond, times }) => {
      flood(perSecond, times);
      await vi.advanceTimersByTimeAsync(5_500 + (times - 1) * 1_000);
      const tries = sendUntilAccepted('right');
      await vi.advanceTimersByTimeAsync(seconds * 1_000);
      expect(lookUps).toContain('right');
      expect(await tries).toBeLessThanOrEqual(maxTries);
    },
  );

  it('looks up a random one of tokens that were sent equally often, and has the others sent again in a second', async () => {
    vi.spyOn(Math, 'random').mockReturnValueOnce(0.5).mockReturnValueOnce(0.9).mockReturnValueOnce(0.7);
    const sent = ['wrong a', 'right', 'wrong b'].map((text) => verify(text));
    await vi.advanceTimersByTimeAsync(999);
    expect(lookUps).not.toContain('right');
    await vi.advanceTimersByTimeAsync(1);
    expect(await Promise.all(sent)).toEqual([1, 'valid', 1]);
  });

  it('passes over tokens that were rejected within the last minute', async () => {
    const sent = verify('right');
    vi.spyOn(Math, 'random').mockReturnValue(1);
    for (let count = 0; count < failures; count++) expect(await verify(`wrong ${a} ${count}`)).toBe(60);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await sent).toBe('valid');
  });

  it('looks up at most one token a second', async () => {
    flood(100);
    await vi.advanceTimersByTimeAsync(50_000);
    expect(lookUps.length).toBeGreaterThan(45);
    expect(lookUps.length).toBeLessThanOrEqual(50);
  });
});
