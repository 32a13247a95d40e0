import { loadPart } from '../shared/load-boundary.js';
import type { KeptToken } from './kept-token.js';
import { readSignInSettings } from './sign-in-settings.js';

/**
 * Renews the token of a sign-in, or takes the token that another tab has renewed.
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

/** The maximum time before its expiry at which a token is renewed, in milliseconds. */
const marginMs = 60_000;

/**
 * The delay before a token should be renewed, in milliseconds; `undefined` if that is not possible, or its expiry is unknown.
 *
 * @param failures the number of failed attempts since the last renewal
 */
export function renewalDelayMs({ signIn }: KeptToken, failures = 0, now = Date.now()): number | undefined {
  if (signIn?.shared === undefined) return undefined;
  if (failures > 0) return Math.min(60_000, 1_000 * 2 ** failures);
  if (signIn.expiresAt === undefined) return undefined;
  const leftMs = Math.max(0, signIn.expiresAt - now);
  // Timers are limited to 31 bits.
  return Math.min(leftMs - Math.min(marginMs, leftMs / 5), 2 ** 31 - 1);
}
