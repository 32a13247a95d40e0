import { scopes } from '@plant-store/contract/access-token';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { LimitedVerification } from '../auth/authentication-limit.js';
import { tokenTtlMs } from './calls.js';
import { createRemoteTokens } from './remote-backend.js';

beforeEach(() => {
  // lru-cache takes a start of 0 for none.
  vi.useFakeTimers().advanceTimersByTime(1);
});
afterEach(() => {
  vi.useRealTimers();
});

/** Tokens over a primary process that answers with what is given, and notes what it was asked. */
function createTokens(answer: LimitedVerification) {
  const asked: unknown[] = [];
  const call = async (...request: unknown[]) => {
    asked.push(request);
    return answer as never;
  };
  const { accessTokens, authenticationLimit } = createRemoteTokens({ call }, undefined);
  return {
    asked,
    verifyCached: () => accessTokens.verifyCached('text'),
    verify: () => authenticationLimit.verify('192.0.2.1', 'text', undefined),
  };
}

const subject = { status: 'valid', subject: 'alice', scopes } as const;

it('knows for half of the time of a cache that a token is valid', async () => {
  const valid = { ...subject, acceptedUntil: Infinity };
  const { asked, verify, verifyCached } = createTokens(valid);
  expect(verifyCached()).toBeUndefined();
  expect(await verify()).toEqual(valid);
  expect(asked).toEqual([['verifyToken', { address: '192.0.2.1', text: 'text' }]]);
  vi.advanceTimersByTime(tokenTtlMs - 10);
  expect(verifyCached()).toEqual(valid);
  vi.advanceTimersByTime(20);
  expect(verifyCached()).toBeUndefined();
});

it('asks again once a token has expired', async () => {
  const token = { id: 1, name: 'shop', scopes, createdAt: new Date(), revokedAt: null, lastUsedAt: null };
  const expiresAt = new Date(Date.now() + 10);
  for (const valid of [
    { ...subject, acceptedUntil: expiresAt.getTime() },
    { status: 'valid', token: { ...token, expiresAt } } as const,
  ]) {
    vi.setSystemTime(expiresAt.getTime() - 1);
    const { verify, verifyCached } = createTokens(valid);
    await verify();
    expect(verifyCached()).toEqual(valid);
    vi.setSystemTime(expiresAt);
    expect(verifyCached()).toBeUndefined();
  }
});

it('asks about each token that is not valid, which the primary process counts', async () => {
  const limited = { status: 'limited', retryAfterSeconds: 7, isFirst: true } as const;
  const { asked, verify, verifyCached } = createTokens(limited);
  expect(await verify()).toEqual(limited);
  expect(verifyCached()).toBeUndefined();
  await verify();
  expect(asked).toHaveLength(2);
});

it('asks about a token that was valid before by a call that gives way to none, until it is valid no more', async () => {
  const answers = [subject, subject, { status: 'unknown' }, subject];
  const asked: unknown[] = [];
  const call = async (name: string) => {
    asked.push(name);
    return { acceptedUntil: Infinity, ...answers[asked.length - 1] } as never;
  };
  const { authenticationLimit } = createRemoteTokens({ call }, undefined);
  for (let count = 0; count < 4; count++) await authenticationLimit.verify('192.0.2.1', 'text', undefined);
  expect(asked).toEqual(['verifyToken', 'verifyKnownToken', 'verifyKnownToken', 'verifyToken']);
});

it('limits requests while many tokens wait that were never valid, and lets one in that was', async () => {
  const waits = new Promise<never>(() => undefined);
  const valid = { ...subject, acceptedUntil: Infinity };
  const call = async (name: string, { text }: { text: string }) => {
    if (name === 'verifyToken' && text !== 'right') await waits;
    return valid as never;
  };
  const { authenticationLimit } = createRemoteTokens({ call } as never, undefined);
  const verify = (text: string) => authenticationLimit.verify('192.0.2.1', text, undefined);
  await verify('right');
  for (let count = 0; count < 1_000; count++) void verify(`wrong ${count}`);
  expect(await verify('one more')).toEqual({ status: 'limited', retryAfterSeconds: 1, isFirst: false });
  expect(await verify('right')).toEqual(valid);
});
