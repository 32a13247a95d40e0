import { loadPart } from '../shared/load-boundary.js';
import { nameOf } from '../shared/tab-storage.js';
import { type KeptToken, keep, type Place, readKept } from './kept-token.js';
import { readSignInSettings } from './sign-in-settings.js';

/**
 * Renews the token of a sign-in: one tab at a time, since a refresh token may be used once, and the others get the same.
 *
 * @returns `undefined` when the person has to sign in again
 * @throws {Error} when the identity provider cannot be asked at the moment
 */
export async function renewToken(known: KeptToken, place: Place): Promise<KeptToken | undefined> {
  const settings = readSignInSettings();
  if (settings === undefined) return undefined;
  return navigator.locks.request(nameOf('plant-store.renewal'), async () => {
    const kept = readKept(place);
    if (kept?.id === known.id && kept.token !== known.token) return kept;
    const { renewSignIn } = await loadPart(() => import('./sign-in.js'));
    const renewed = await renewSignIn(settings, known);
    // Before another tab may.
    if (renewed !== undefined && readKept(place)?.id === known.id) keep(place, renewed);
    return renewed;
  });
}

/** How long before it expires a token is renewed, in milliseconds, at the most. */
const marginMs = 60_000;

/** In how many milliseconds to renew a token; `undefined` for one that cannot be. */
export function renewalDelayMs({ signIn }: KeptToken, now = Date.now()): number | undefined {
  if (signIn?.refreshToken === undefined || signIn.expiresAt === undefined) return undefined;
  const leftMs = Math.max(0, signIn.expiresAt - now);
  // Timers take no more than 31 bits.
  return Math.min(leftMs - Math.min(marginMs, leftMs / 5), 2 ** 31 - 1);
}
