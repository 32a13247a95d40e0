import { loadPart } from '../shared/load-boundary.js';
import type { KeptToken } from './kept-token.js';
import { readSignInSettings } from './sign-in-settings.js';

/**
 * Renews the token of a sign-in, or takes the one that another tab has renewed.
 *
 * @returns `undefined` when the person has to sign in again
 * @throws {Error} with the reason, when the identity provider does not issue a token now, but may later
 */
export async function renewToken(known: KeptToken): Promise<KeptToken | undefined> {
  const settings = readSignInSettings();
  if (settings === undefined) return undefined;
  const { renewSignIn } = await loadPart(() => import('./sign-in.js'));
  return renewSignIn(settings, known);
}

/** How long before it expires a token is renewed, in milliseconds, at the most. */
const marginMs = 60_000;

/**
 * In how many milliseconds to renew a token; `undefined` if that is not possible, or nobody knows when it expires.
 *
 * @param failures how often that has failed since the last renewal
 */
export function renewalDelayMs({ signIn }: KeptToken, failures = 0, now = Date.now()): number | undefined {
  if (signIn?.shared === undefined) return undefined;
  if (failures > 0) return Math.min(60_000, 1_000 * 2 ** failures);
  if (signIn.expiresAt === undefined) return undefined;
  const leftMs = Math.max(0, signIn.expiresAt - now);
  // Timers take no more than 31 bits.
  return Math.min(leftMs - Math.min(marginMs, leftMs / 5), 2 ** 31 - 1);
}
