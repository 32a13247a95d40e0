import { loadPart } from '../shared/load-boundary.js';
import { readSignInSettings } from './sign-in-settings.js';
import type { StoredToken } from './stored-token.js';

/**
 * Renews the token of a sign-in, or returns the token that another tab already renewed.
 *
 * @returns `undefined` if the person must sign in again
 * @throws {Error} with the reason, if the identity provider cannot issue a token now, but may later
 */
export async function renewToken(known: StoredToken): Promise<StoredToken | undefined> {
  const settings = readSignInSettings();
  if (settings === undefined) return undefined;
  const { renewSignIn } = await loadPart(() => import('./sign-in.js'));
  return renewSignIn(settings, known);
}

/** A token is renewed at most this long before it expires. */
const marginMs = 60_000;
/** The delays between failed attempts. */
const firstRetryMs = 2_000;
const maxRetryMs = 60_000;
/** The longest delay of a timer, which is limited to 31 bits. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * The delay until a token should be renewed, in milliseconds. `undefined` if it cannot be renewed or its expiry is unknown.
 *
 * @param failures the number of failed attempts since the last renewal
 */
export function renewalDelayMs({ signIn }: StoredToken, failures = 0, now = Date.now()): number | undefined {
  if (signIn?.shared === undefined) return undefined;
  if (failures > 0) return Math.min(maxRetryMs, firstRetryMs * 2 ** (failures - 1));
  if (signIn.expiresAt === undefined) return undefined;
  const leftMs = Math.max(0, signIn.expiresAt - now);
  return Math.min(leftMs - Math.min(marginMs, leftMs / 5), maxTimerMs);
}
