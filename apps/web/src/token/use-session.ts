import { useEffect, useEffectEvent, useLayoutEffect, useReducer, useState } from 'react';
import { navigate, parseRoute } from '../route.js';
import { loadPart } from '../shared/load-boundary.js';
import { nameOf, openChannel, tabStorageKeys } from '../shared/tab-storage.js';
import { type KeptToken, keep, type Place, readKept } from './kept-token.js';
import { onHandOver } from './on-hand-over.js';
import { renewalDelayMs, renewToken } from './renew-token.js';
import { openSession, reduceSession, type SessionEvent } from './session.js';
import type { SignedIn } from './sign-in.js';
import { readSignInSettings } from './sign-in-settings.js';
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
  const { kept, active, place, unrenewed, waiting } = session;
  const id = kept?.id;

  // Updates the storage before the session is shown, so that a token that seems removed is in no storage.
  useLayoutEffect(() => {
    // Only once: another tab may put another token there later.
    if (active && place === 'device') keep('device', kept);
  }, [id, active, place]);
  useLayoutEffect(() => {
    renewals.follow(kept);
    if (waiting !== undefined) return;
    if (place === 'device') {
      keep('tab', undefined);
      if (readKept('device')?.id !== id) return;
    }
    keep(place, active || unrenewed !== undefined ? kept : undefined);
  }, [session]);

  // If Back restores the page, another tab may have removed the token in the meantime.
  const onPageShow = useEffectEvent(async ({ persisted }: PageTransitionEvent) => {
    if (!persisted || kept === undefined) return;
    await renewals.renew(kept.token);
    if (renewals.isEnded(kept.id)) dispatch({ type: 'forget', ids: [kept.id], asked: true });
  });
  useEffect(() => {
    // An address that differs only in its fragment does not reload the page.
    const onHashChange = () => {
      const text = takeTokenFromAddress(window);
      if (text !== undefined) dispatch({ type: 'openLink', text });
    };
    const onStorage = ({ key }: StorageEvent) => {
      if (key !== nameOf(tabStorageKeys.token)) return;
      dispatch({ type: 'changeDevice', deviceId: readKept('device')?.id });
    };
    const others = openChannel(forgetChannel);
    others.onmessage = ({ data: ids }: MessageEvent<readonly string[]>) =>
      dispatch({ type: 'forget', ids, asked: false });
    const stopReceiving = onHandOver((signedIn) => dispatch({ type: 'signIn', signedIn, asked: true }));
    const control = new AbortController();
    const { signal } = control;
    window.addEventListener('hashchange', onHashChange, { signal });
    window.addEventListener('storage', onStorage, { signal });
    window.addEventListener('pageshow', onPageShow, { signal });
    return () => {
      control.abort();
      others.close();
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
      const isTaken = await import('./hand-over.js').then(
        ({ handOver }) => handOver(signedIn),
        () => false,
      );
      if (isTaken) {
        dispatch({ type: 'handOver' });
        return window.close();
      }
      dispatch({ type: 'signIn', signedIn, asked: false });
      navigate(parseRoute(new URL(signedIn.returnTo, location.href)), { replace: true });
    });
    return () => {
      isShown = false;
    };
  }, [signingIn]);

  useEffect(() => {
    const delayMs = kept && (active || unrenewed) && renewalDelayMs(kept, unrenewed?.times);
    if (kept === undefined || delayMs === undefined) return;
    const renewNow = () => void renewals.renew(kept.token);
    const timer = setTimeout(renewNow, delayMs);
    if (unrenewed) window.addEventListener('online', renewNow);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('online', renewNow);
    };
  }, [kept, active, unrenewed, renewals]);

  return {
    session,
    dispatch,
    renew: renewals.renew,
    reject: renewals.reject,
    /** Keeps the token on the device from now on, or only in this tab. */
    keepIn(place: Place) {
      if (place === 'tab') keep('device', undefined);
      dispatch({ type: 'keepIn', place });
    },
    /** Removes the token from memory and storage, in all tabs. */
    forget() {
      const gone = new Map<string, KeptToken>();
      for (const each of [readKept('device'), kept]) if (each) gone.set(each.id, each);
      for (const each of ['tab', 'device'] as const) keep(each, undefined);
      dispatch({ type: 'forget', asked: true });
      const others = openChannel(forgetChannel);
      others.postMessage([...gone.keys()]);
      others.close();
      for (const each of gone.values()) void end(each);
    },
  };
}

const readTokens = () => ({ tab: readKept('tab'), device: readKept('device') });

/** The channel to the other tabs of this page, with the ids of tokens to forget. */
const forgetChannel = 'plant-store.forget';

/**
 * How many tokens the page renews within a time because the service rejects them. Tokens live at least a second, so a service that rejects
 * more does so for another reason than expiry. Its clock may be wrong.
 */
const maxRejections = 10;
const rejectionWindowMs = 10_000;

/** Ends a sign-in at the identity provider as well, if that is possible. */
async function end(kept: KeptToken): Promise<void> {
  const settings = readSignInSettings();
  if (kept.signIn?.shared === undefined || settings === undefined) return;
  const { endSignIn } = await loadPart(() => import('./sign-in.js'));
  await endSignIn(settings, kept).catch(() => undefined);
}

/**
 * Renews the token of the session. A request may need a renewal long after the render that sent it, so this follows the session. Its other
 * data is not in the session, because the page does not show it.
 */
function createRenewals(dispatch: (event: SessionEvent) => void) {
  let current: KeptToken | undefined;
  /** The IDs of all tokens so far. */
  const ids = new Map<string, string>();
  /** The IDs of sign-ins that the identity provider no longer renews. */
  const ended = new Set<string>();
  /** By the ID of the sign-in. */
  const inFlight = new Map<string, Promise<string>>();
  /** The last token that the service rejected, and the times of recent rejections. */
  let rejected: { readonly token?: string; readonly times: readonly number[] } = { times: [] };

  const request = async (known: KeptToken): Promise<string> => {
    const { id, token } = known;
    const event = await renewToken(known).then(
      (kept): SessionEvent =>
        kept === undefined
          ? { type: 'endRenewal', id }
          : { type: 'renew', id, kept, restarts: rejected.token === token },
      ({ message }: Error): SessionEvent => ({ type: 'failRenewal', id, reason: message }),
    );
    inFlight.delete(id);
    if (event.type === 'endRenewal') ended.add(id);
    dispatch(event);
    return event.type === 'renew' ? event.kept.token : token;
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

  /** Asks for another token, and says why, unless this one can be renewed. Typed text stays. */
  const reject = async (token: string, problem: string): Promise<void> => {
    // The reply to a request with an earlier token may come late.
    if (current?.token !== token) return;
    const nowMs = performance.now();
    const times = rejected.times.filter((timeMs) => nowMs - timeMs < rejectionWindowMs);
    if (rejected.token !== token) times.push(nowMs);
    rejected = { token, times };
    const isFutile = times.length > maxRejections;
    // The import used only this token.
    if (!isFutile && (await renew(token)) !== token) return;
    dispatch({ type: 'reject', token, problem });
  };

  return {
    /** Takes the token of the currently shown session. */
    follow(kept: KeptToken | undefined) {
      current = kept;
      if (kept !== undefined) ids.set(kept.token, kept.id);
    },
    isEnded: (id: string) => ended.has(id),
    renew,
    reject,
  };
}
