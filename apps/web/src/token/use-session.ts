import { useEffect, useEffectEvent, useLayoutEffect, useReducer, useState } from 'react';
import { navigate, parseRoute } from '../route.js';
import { loadPart } from '../shared/load-boundary.js';
import { openChannel, storageKeys, storageName } from '../shared/page-storage.js';
import { handOver, onHandOver } from './hand-over.js';
import { takeTokenFromAddress } from './open-token.js';
import { createRenewals, renewalDelayMs } from './renewals.js';
import { openSession, reduceSession } from './session.js';
import type { SignedIn } from './sign-in.js';
import { readSignInSettings } from './sign-in-settings.js';
import { readStoredToken, type StorageArea, type StoredToken, writeStoredToken } from './stored-token.js';

/**
 * Keeps the session of this tab, and synchronizes it with the storage, other tabs, requests, and timers.
 *
 * @param signingIn the result of the sign-in whose reply is in the address, or why the sign-in failed
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

  // Updates the storage before the browser paints, so that a token is gone from the storage once the page shows that.
  useLayoutEffect(() => {
    // Only when these values change, because another tab can store another token there later.
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

  // When Back restores the page, another tab might have signed out.
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
      if (await handOver(signedIn)) {
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

/** Ends a sign-in at the identity provider as well, if that is possible. */
async function endAtProvider(stored: StoredToken): Promise<void> {
  const settings = readSignInSettings();
  if (stored.signIn?.shared === undefined || settings === undefined) return;
  const { endSignIn } = await loadPart(() => import('./sign-in.js'));
  await endSignIn(settings, stored).catch(() => undefined);
}
