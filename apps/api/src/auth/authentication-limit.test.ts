import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ServiceError } from '../errors/service-error.js';
import {
  type AuthenticationLimit,
  countedAddresses,
  createAuthenticationLimit,
} from './authentication-limit.js';
import type { TokenService, Verification } from './token-service.js';

const failuresPerMinute = 3;
const unknown = { status: 'unknown' } as const;
const valid = { status: 'valid', token: {} } as Verification;

let lookUps: string[];
let cache: Map<string, Verification>;
/** Answers the look-ups; by default texts that begin with `right` are valid. */
let answer: (text: string) => Promise<Verification>;
let events: unknown[][];
let limit: AuthenticationLimit;

beforeEach(() => {
  // lru-cache takes a start of 0 for none.
  vi.useFakeTimers().advanceTimersByTime(1);
  lookUps = [];
  events = [];
  cache = new Map();
  answer = async (text) => (text.startsWith('right') ? valid : unknown);
  const accessTokens: Pick<TokenService, 'verify' | 'verifyCached'> = {
    verifyCached: (text) => cache.get(text),
    verify(text) {
      lookUps.push(text);
      return answer(text);
    },
  };
  limit = createAuthenticationLimit(accessTokens, failuresPerMinute, {
    warn: (...line) => events.push(line),
  });
});
afterEach(() => {
  vi.useRealTimers();
});

/** Verifies a token as the service does; returns the status. */
async function verify(text: string, address = 'a'): Promise<string> {
  return (await limit.verify(address, text, cache.get(text))).status;
}

/** Uses up the failures of an address. */
async function exhaust(address = 'a'): Promise<void> {
  for (let count = 0; count < failuresPerMinute; count++) {
    expect(await verify(`wrong ${address} ${count}`, address)).toBe('unknown');
  }
  lookUps.length = 0;
}

it('looks up no more tokens of an address after as many failures as are allowed, until a minute is over', async () => {
  await exhaust();
  vi.advanceTimersByTime(600);
  expect(await limit.verify('a', 'wrong a 0', undefined)).toEqual({
    status: 'limited',
    retryAfterSeconds: 60,
    isFirst: true,
  });
  expect(lookUps).toEqual([]);
  expect(await verify('wrong', 'b')).toBe('unknown');
  vi.advanceTimersByTime(59_401);
  await exhaust();
});

it.each(['malformed', 'expired', 'revoked', 'unknown'] as const)(
  'counts tokens that are %s',
  async (status) => {
    cache.set('token', { status });
    for (let count = 0; count < failuresPerMinute; count++) expect(await verify('token')).toBe(status);
    expect(await verify('token')).toBe('limited');
    expect(lookUps).toEqual([]);
  },
);

it('does not count tokens that are valid, and keeps nothing of their address', async () => {
  for (let count = 0; count < 10; count++) expect(await verify(`right ${count}`)).toBe('valid');
  void verify('right');
  expect(vi.getTimerCount()).toBe(0);
  expect(await verify('wrong')).toBe('unknown');
  expect(vi.getTimerCount()).toBe(1);
});

it('looks up a token that was valid the last time, however many others of its address fail', async () => {
  expect(await verify('right')).toBe('valid');
  await exhaust();
  for (let count = 0; count < 10; count++) expect(await verify('right')).toBe('valid');
  answer = async () => ({ status: 'revoked' });
  expect(await verify('right')).toBe('revoked');
  expect(await verify('right')).toBe('limited');
  expect(lookUps).toHaveLength(11);
});

it('lets no more concurrent look-ups begin than may fail', async () => {
  const statuses: string[] = [];
  for (let index = 0; index < 100; index++)
    void verify(`wrong ${index}`).then((status) => statuses.push(status));
  await vi.advanceTimersByTimeAsync(0);
  // One waits for the look-up that is spared.
  expect(statuses.filter((status) => status === 'limited')).toHaveLength(100 - failuresPerMinute - 1);
  expect(lookUps).toHaveLength(failuresPerMinute);
});

it('rejects none of many concurrent look-ups of right tokens', async () => {
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

it('takes the result of another look-up of the same token, and passes its place on', async () => {
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
  const statuses = await Promise.all(waiting);
  expect(statuses.filter((status) => status === 'unknown')).toHaveLength(failuresPerMinute);
  expect(statuses.filter((status) => status === 'limited')).toHaveLength(10 - failuresPerMinute);
});

it('does not count a look-up that cannot be made, and rejects those that wait for it', async () => {
  answer = () => Promise.reject(new Error('away'));
  const results = await Promise.allSettled(
    Array.from({ length: 10 }, (_, index) => verify(`wrong ${index}`)),
  );
  expect(results.map(({ status }) => status)).toEqual(Array(10).fill('rejected'));
  expect(lookUps).toHaveLength(failuresPerMinute);
  expect(vi.getTimerCount()).toBe(0);
  answer = async () => unknown;
  await exhaust();
});

it('lets those that wait go on when a look-up meets an identity provider that is away', async () => {
  const away = new ServiceError('identity_provider_unavailable', 'The provider is away.');
  answer = (text) => (text.startsWith('away') ? Promise.reject(away) : Promise.resolve(valid));
  const sent = ['away 0', 'away 1', 'away 2', 'right'].map((text) => limit.verify('a', text, undefined));
  const results = await Promise.allSettled(sent);
  const rejected = { status: 'rejected', reason: away };
  expect(results).toEqual([rejected, rejected, rejected, { status: 'fulfilled', value: valid }]);
});

it('has places for each kind of tokens, and lets both go on when their failures reach the limit', async () => {
  answer = (text) => (text.startsWith('jwt') ? new Promise(() => undefined) : Promise.resolve(unknown));
  for (let count = 0; count < failuresPerMinute; count++) void verify(`jwt ${count}`);
  const waiting = verify('jwt waits');
  cache.set('jwt waits', unknown);
  for (let count = 0; count < failuresPerMinute; count++)
    expect(await verify(`pst_wrong ${count}`)).toBe('unknown');
  expect(await waiting).toBe('limited');
});

it('counts together the look-ups of an address at the same time, until all have ended', async () => {
  const released = Promise.withResolvers<void>();
  answer = () => released.promise.then(() => valid);
  const sent = [verify('right 0'), verify('right 1'), verify('right 2')];
  cache.set('wrong', unknown);
  for (let count = 0; count < failuresPerMinute; count++) await verify('wrong');
  expect(await verify('wrong')).toBe('limited');
  await vi.advanceTimersByTimeAsync(60_001);
  expect(await verify('wrong')).toBe('unknown');
  released.resolve();
  expect(await Promise.all(sent)).toEqual(['valid', 'valid', 'valid']);
  for (let count = 1; count < failuresPerMinute; count++) expect(await verify('wrong')).toBe('unknown');
  expect(await verify('wrong')).toBe('limited');
});

it('reports an address with its first rejection, and at the end how many there were', async () => {
  await exhaust();
  expect(events).toEqual([]);
  for (let count = 0; count < 5; count++) await verify('wrong a 0');
  expect(events).toEqual([[{ clientAddress: 'a', seconds: 60 }, 'authentication limited']]);
  vi.advanceTimersByTime(60_001);
  expect(events.slice(1)).toEqual([[{ clientAddress: 'a', rejected: 5 }, 'authentication limit over']]);
  expect(vi.getTimerCount()).toBe(0);
});

it('reports what was counted so far when it is cleared', async () => {
  await exhaust();
  await exhaust('b');
  await verify('wrong b 0', 'b');
  limit.clear();
  expect(events.slice(1)).toEqual([[{ clientAddress: 'b', rejected: 1 }, 'authentication limit over']]);
});

it('forgets the address whose latest request is the longest ago when there are too many', async () => {
  cache.set('wrong', unknown);
  await exhaust('first');
  await exhaust('second');
  for (let index = 2; index < countedAddresses; index++) await verify('wrong', `address ${index}`);
  expect(await verify('wrong', 'first')).toBe('limited');
  await verify('wrong', 'one more');
  expect(await verify('wrong', 'first')).toBe('limited');
  expect(await verify('wrong', 'second')).toBe('unknown');
  expect(vi.getTimerCount()).toBe(countedAddresses);
});
