import { useEffect, useEffectEvent, useLayoutEffect, useReducer, useState } from 'react';
import { navigate, parseRoute } from '../route.js';
import { loadPart } from '../shared/load-boundary.js';
import { openChannel, storageKeys, storageName } from '../shared/page-storage.js';
import { onHandOver } from './on-hand-over.js';
import { renewalDelayMs, renewToken } from './renew-token.js';
import { openSession, reduceSession, type SessionEvent } from './session.js';
import type { SignedIn } from './sign-in.js';
import { readSignInSettings } from './sign-in-settings.js';
import { readStoredToken, type StorageArea, type StoredToken, writeStoredToken } from './stored-token.js';
import { takeTokenFromAddress } from './take-token-from-address.js';

/**
 * The session of this tab, and its effects: storage, other tabs, requests, and timers.
 *
 * @param signingIn the result of the sign-in reply in the address
 */
export function useSession(
  tokenFromAddress: string | undefined,
  signingIn?: Promise<SignedIn | string> | string,
) {
  const [session, dispatch] = useReducer(reduceSession, undefined, () =>
    openSession(readTokens(), tokenFromAddress, signingIn),
  );
  const [renewals] = useState(() => createRenewals(dispatch));
  const { stored, active, area, renewalFailure, waiting } = session;
  const id = stored?.id;

  // Updates the storage before the page renders, so that a token is gone from the storage once the page shows that.
  useLayoutEffect(() => {
    // Only when these values change, because another tab may store another token there later.
    if (active && area === 'device') writeStoredToken('device', stored);
  }, [id, active, area]);
  useLayoutEffect(() => {
    renewals.follow(stored);
    if (waiting !== undefined) return;
    if (area === 'device') {
      writeStoredToken('tab', undefined);
      if (readStoredToken('device')?.id !== id) return;
    }
    writeStoredToken(area, active || renewalFailure !== undefined ? stored : undefined);
  }, [session]);

  // When Back restores the page, another tab may have signed out.
  const onPageShow = useEffectEvent(async ({ persisted }: PageTransitionEvent) => {
    if (!persisted || stored === undefined) return;
    await renewals.renew(stored.token);
    if (renewals.isEnded(stored.id)) dispatch({ type: 'forget', ids: [stored.id], shouldFocus: true });
  });
  useEffect(() => {
    // An address that differs only in its fragment does not reload the page.
    const onHashChange = () => {
      const text = takeTokenFromAddress(window);
      if (text !== undefined) dispatch({ type: 'openLink', text });
    };
    const onStorage = ({ key }: StorageEvent) => {
      if (key !== storageName(storageKeys.token)) return;
      dispatch({ type: 'changeDevice', deviceId: readStoredToken('device')?.id });
    };
    const channel = openChannel(forgetChannel);
    channel.onmessage = ({ data: ids }: MessageEvent<readonly string[]>) =>
      dispatch({ type: 'forget', ids, shouldFocus: false });
    const stopReceiving = onHandOver((signedIn) => dispatch({ type: 'signIn', signedIn, shouldFocus: true }));
    const control = new AbortController();
    const { signal } = control;
    window.addEventListener('hashchange', onHashChange, { signal });
    window.addEventListener('storage', onStorage, { signal });
    window.addEventListener('pageshow', onPageShow, { signal });
    return () => {
      control.abort();
      channel.close();
      stopReceiving();
    };
  }, []);

  useEffect(() => {
    if (signingIn === undefined || typeof signingIn === 'string') return;
    let isShown = true;
    void signingIn.then(async (signedIn) => {
      if (!isShown) return;
      if (typeof signedIn === 'string')
        return dispatch({ type: 'failSignIn', tokens: readTokens(), problem: signedIn });
      const isAccepted = await import('./hand-over.js').then(
        ({ handOver }) => handOver(signedIn),
        () => false,
      );
      if (isAccepted) {
        dispatch({ type: 'handOver' });
        return window.close();
      }
      dispatch({ type: 'signIn', signedIn, shouldFocus: false });
      navigate(parseRoute(new URL(signedIn.returnTo, location.href)), { replace: true });
    });
    return () => {
      isShown = false;
    };
  }, [signingIn]);

  useEffect(() => {
    const delayMs = stored && (active || renewalFailure) && renewalDelayMs(stored, renewalFailure?.times);
    if (stored === undefined || delayMs === undefined) return;
    const renewNow = () => void renewals.renew(stored.token);
    const timer = setTimeout(renewNow, delayMs);
    if (renewalFailure) window.addEventListener('online', renewNow);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('online', renewNow);
    };
  }, [stored, active, renewalFailure, renewals]);

  return {
    session,
    dispatch,
    renew: renewals.renew,
    reject: renewals.reject,
    /** Keeps the token on the device from now on, or only in this tab. */
    keepIn(area: StorageArea) {
      if (area === 'tab') writeStoredToken('device', undefined);
      dispatch({ type: 'keepIn', area });
    },
    /** Removes the token from memory and storage, in all tabs. */
    forget() {
      const removed = new Map<string, StoredToken>();
      for (const token of [readStoredToken('device'), stored]) if (token) removed.set(token.id, token);
      for (const each of ['tab', 'device'] as const) writeStoredToken(each, undefined);
      dispatch({ type: 'forget', shouldFocus: true });
      const channel = openChannel(forgetChannel);
      channel.postMessage([...removed.keys()]);
      channel.close();
      for (const token of removed.values()) void endAtProvider(token);
    },
  };
}

const readTokens = () => ({ tab: readStoredToken('tab'), device: readStoredToken('device') });

/** The channel to the other tabs of this page. Its messages are the IDs of tokens to forget. */
const forgetChannel = 'plant-store.forget';

/**
 * The maximum number of rejected tokens that the page renews within `rejectionWindowMs`. Tokens live at least a second, so more rejections
 * have another cause than expiry, such as a wrong clock of the service.
 */
const maxRejections = 10;
/** The period in which rejections are counted. */
const rejectionWindowMs = 10_000;

/** Ends a sign-in at the identity provider as well, if that is possible. */
async function endAtProvider(stored: StoredToken): Promise<void> {
  const settings = readSignInSettings();
  if (stored.signIn?.shared === undefined || settings === undefined) return;
  const { endSignIn } = await loadPart(() => import('./sign-in.js'));
  await endSignIn(settings, stored).catch(() => undefined);
}

/**
 * Renews the token of the session. A request may need a renewal long after the render that sent it, so `follow` passes each new token. The
 * other data stays here, because the page does not show it.
 */
function createRenewals(dispatch: (event: SessionEvent) => void) {
  let current: StoredToken | undefined;
  /** The IDs of all tokens so far, by token. */
  const ids = new Map<string, string>();
  /** The IDs of sign-ins that the identity provider no longer renews. */
  const ended = new Set<string>();
  /** By the ID of the sign-in. */
  const inFlight = new Map<string, Promise<string>>();
  /** The last token that the service rejected, and the times of recent rejections. */
  let rejected: { readonly token?: string; readonly times: readonly number[] } = { times: [] };

  const request = async (known: StoredToken): Promise<string> => {
    const { id, token } = known;
    const event = await renewToken(known).then(
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
    // The reply to a request with an earlier token may come late.
    if (current?.token !== token) return;
    const nowMs = performance.now();
    const times = rejected.times.filter((timeMs) => nowMs - timeMs < rejectionWindowMs);
    if (rejected.token !== token) times.push(nowMs);
    rejected = { token, times };
    const isUseless = times.length > maxRejections;
    // An import does not renew its token, but resumes with the new one.
    if (!isUseless && (await renew(token)) !== token) return;
    dispatch({ type: 'reject', token, problem });
  };

  return {
    /** Uses the token of the current session. */
    follow(stored: StoredToken | undefined) {
      current = stored;
      if (stored !== undefined) ids.set(stored.token, stored.id);
    },
    isEnded: (id: string) => ended.has(id),
    renew,
    reject,
  };
}
