import { expect, it } from 'vitest';
import { renewalDelayMs } from './renewals.js';

const shared = { record: 1, key: 'k' };
const delayOf = (signIn: object, failures?: number) =>
  renewalDelayMs({ token: 't', id: 'i', signIn }, failures, 1_000_000);

it('renews a token a minute before it expires, or when a fifth of its lifetime is left, if it can be renewed', () => {
  expect(delayOf({ shared, expiresAt: 1_000_000 + 3_600_000 })).toBe(3_540_000);
  expect(delayOf({ shared, expiresAt: 1_000_000 + 5_000 })).toBe(4_000);
  expect(delayOf({ shared, expiresAt: 0 })).toBe(0);
  expect(delayOf({ shared, expiresAt: Number.MAX_SAFE_INTEGER })).toBe(2 ** 31 - 1);
  expect([delayOf({ expiresAt: 0 }, 1), delayOf({ shared })]).toEqual([undefined, undefined]);
});

it('retries after a delay that grows up to a minute, also if the expiry of the token is unknown', () => {
  const delays = [1, 2, 5, 6, 99].map((failures) => delayOf({ shared }, failures));
  expect(delays).toEqual([2_000, 4_000, 32_000, 60_000, 60_000]);
});
