import { loadPart } from '../shared/load-boundary.js';
import type { SessionEvent } from './session.js';
import { readSignInSettings } from './sign-in-settings.js';
import type { StoredToken } from './stored-token.js';

/**
 * The maximum number of rejected tokens that the page renews within `rejectionWindowMs`. Tokens live at least a second, so more rejections
 * have another cause than expiry, such as a wrong clock on the server.
 */
const maxRejections = 10;
/** The period in which rejections are counted. */
const rejectionWindowMs = 10_000;

/**
 * Renews the session's token. A request can need a renewal long after the render that sent it, so `follow` passes each new token. The other
 * data stays out of the React state, because the page does not show it.
 */
export function createRenewals(dispatch: (event: SessionEvent) => void) {
  let current: StoredToken | undefined;
  /** The IDs of all tokens so far, by token. */
  const ids = new Map<string, string>();
  /** The IDs of sign-ins that the identity provider no longer renews. */
  const ended = new Set<string>();
  /** The renewals in flight, by the ID of the sign-in. */
  const inFlight = new Map<string, Promise<string>>();
  /** The last token that the service rejected, and the times of recent rejections. */
  let rejected: { readonly token?: string; readonly times: readonly number[] } = { times: [] };

  const request = async (previous: StoredToken): Promise<string> => {
    const { id, token } = previous;
    const event = await renewAtProvider(previous).then(
      (stored): SessionEvent =>
        stored === undefined
          ? { type: 'endRenewal', id }
          : { type: 'renew', id, stored, restarts: rejected.token === token },
      ({ message }: Error): SessionEvent => ({ type: 'failRenewal', id, reason: message }),
    );
    inFlight.delete(id);
    if (event.type === 'endRenewal') ended.add(id);
    dispatch(event);
    return event.type === 'renew' ? event.stored.token : token;
  };

  /** Returns a replacement for a token that was rejected or is about to expire, or the same token if there is none. */
  const renew = async (token: string): Promise<string> => {
    if (current === undefined) return token;
    if (current.token !== token) return ids.get(token) === current.id ? current.token : token;
    const { id, signIn } = current;
    if (signIn?.shared === undefined || ended.has(id)) return token;
    const renewal = inFlight.get(id) ?? request(current);
    inFlight.set(id, renewal);
    return renewal;
  };

  /** Renews a rejected token. If that is not possible, asks for another one and shows why. Typed text stays. */
  const reject = async (token: string, problem: string): Promise<void> => {
    // The reply to a request with an earlier token can arrive late.
    if (current?.token !== token) return;
    const nowMs = performance.now();
    const times = rejected.times.filter((timeMs) => nowMs - timeMs < rejectionWindowMs);
    if (rejected.token !== token) times.push(nowMs);
    rejected = { token, times };
    const isRenewalUseless = times.length > maxRejections;
    // An import does not renew its token, but resumes with the new one.
    if (!isRenewalUseless && (await renew(token)) !== token) return;
    dispatch({ type: 'reject', token, problem });
  };

  return {
    /** Sets the current session's token. */
    follow(stored: StoredToken | undefined) {
      current = stored;
      if (stored !== undefined) ids.set(stored.token, stored.id);
    },
    isEnded: (id: string) => ended.has(id),
    renew,
    reject,
  };
}

/** Returns the renewed token of a sign-in, perhaps from another tab. `undefined` if the person must sign in again. */
async function renewAtProvider(previous: StoredToken): Promise<StoredToken | undefined> {
  const settings = readSignInSettings();
  if (settings === undefined) return undefined;
  const { renewSignIn } = await loadPart(() => import('./sign-in.js'));
  return renewSignIn(settings, previous);
}

/** The longest time before its expiry at which a token is renewed. */
const marginMs = 60_000;
/** The first and the longest delay after a failed attempt. */
const firstRetryMs = 2_000;
const maxRetryMs = 60_000;
/** The longest delay of a timer, which is limited to 31 bits. */
const maxTimerMs = 2 ** 31 - 1;

/**
 * Returns the delay until a token should be renewed, in milliseconds. `undefined` if it cannot be renewed or its expiry is unknown.
 *
 * @param failures the number of failed attempts since the last renewal
 */
export function renewalDelayMs({ signIn }: StoredToken, failures = 0, now = Date.now()): number | undefined {
  if (signIn?.shared === undefined) return undefined;
  if (failures > 0) return Math.min(maxRetryMs, firstRetryMs * 2 ** (failures - 1));
  if (signIn.expiresAt === undefined) return undefined;
  const remainingMs = Math.max(0, signIn.expiresAt - now);
  return Math.min(remainingMs - Math.min(marginMs, remainingMs / 5), maxTimerMs);
}
