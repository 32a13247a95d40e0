import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  type AuthenticationLimit,
  createAuthenticationLimit,
  type LimitedVerification,
} from './authentication-limit.js';
import type { TokenService, Verification } from './token-service.js';

const failuresPerMinute = 30;
const valid = { status: 'valid', token: {} } as Verification;

let lookUps: string[];
let limit: AuthenticationLimit;

beforeEach(async () => {
  // lru-cache takes a start of 0 for none.
  vi.useFakeTimers().advanceTimersByTime(1);
  lookUps = [];
  const accessTokens: Pick<TokenService, 'verify' | 'verifyCached'> = {
    verifyCached: () => undefined,
    async verify(text) {
      lookUps.push(text);
      return text.startsWith('right') ? valid : { status: 'unknown' };
    },
  };
  limit = createAuthenticationLimit(accessTokens, failuresPerMinute, { warn() {} });
  for (let count = 0; count < failuresPerMinute; count++) await verify(`wrong ${count}`);
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Sends a token from an address that is limited. */
async function verify(text: string): Promise<LimitedVerification> {
  return limit.verify('a', text, undefined);
}

/** Sends so many wrong tokens a second, each as often as given, a second apart. */
function flood(perSecond: number, times = 1): void {
  let next = 0;
  setInterval(
    () => {
      const text = `flood ${next++}`;
      for (let time = 0; time < times; time++) setTimeout(() => verify(text), time * 1_000);
    },
    (times * 1_000) / perSecond,
  );
}

/** Sends a token again whenever `Retry-After` allows it, until it is accepted; returns how often it was sent. */
async function sendUntilAccepted(text: string): Promise<number> {
  for (let tries = 1; ; tries++) {
    const verification = await verify(text);
    if (verification.status !== 'limited') return tries;
    await new Promise((resolve) => setTimeout(resolve, verification.retryAfterSeconds * 1_000));
  }
}

it.each([10, 100, 1_000])(
  'accepts a token within 2 tries and 3 seconds beside %d distinct wrong ones a second',
  async (perSecond) => {
    flood(perSecond);
    await vi.advanceTimersByTimeAsync(5_500);
    const tries = sendUntilAccepted('right');
    await vi.advanceTimersByTimeAsync(3_000);
    expect(lookUps).toContain('right');
    expect(await tries).toBeLessThanOrEqual(2);
  },
);

it('accepts a token within 11 tries beside 10 wrong ones a second that are each sent 10 times', async () => {
  flood(10, 10);
  await vi.advanceTimersByTimeAsync(15_500);
  const tries = sendUntilAccepted('right');
  await vi.advanceTimersByTimeAsync(22_000);
  expect(lookUps).toContain('right');
  expect(await tries).toBeLessThanOrEqual(11);
});

it('draws among tokens that were sent equally often, and has the others sent again in a second', async () => {
  vi.spyOn(Math, 'random').mockReturnValueOnce(0.5).mockReturnValueOnce(0.9).mockReturnValueOnce(0.7);
  const sent = ['wrong a', 'right', 'wrong b'].map(verify);
  await vi.advanceTimersByTimeAsync(999);
  expect(lookUps).not.toContain('right');
  await vi.advanceTimersByTimeAsync(1);
  const lost = { status: 'limited', retryAfterSeconds: 1 };
  expect(await Promise.all(sent)).toMatchObject([lost, valid, lost]);
});

it('does not let tokens take part that were rejected within the last minute', async () => {
  const sent = verify('right');
  vi.spyOn(Math, 'random').mockReturnValue(1);
  for (let count = 0; count < failuresPerMinute; count++)
    expect(await verify(`wrong ${count}`)).toMatchObject({ status: 'limited', retryAfterSeconds: 60 });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await sent).toBe(valid);
});

it('looks up at most one token a second', async () => {
  lookUps.length = 0;
  flood(100);
  await vi.advanceTimersByTimeAsync(50_000);
  expect(lookUps.length).toBeGreaterThan(45);
  expect(lookUps.length).toBeLessThanOrEqual(50);
});
