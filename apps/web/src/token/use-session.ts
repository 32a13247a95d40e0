import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { navigate, parseRoute } from '../route.js';
import { loadPart } from '../shared/load-boundary.js';
import { nameOf, openChannel, tabStorageKeys } from '../shared/tab-storage.js';
import { enteredToken, type KeptToken, keep, type Place, readKept } from './kept-token.js';
import { onHandOver } from './on-hand-over.js';
import { readToken } from './read-token.js';
import { renewalDelayMs, renewToken } from './renew-token.js';
import type { SignedIn } from './sign-in.js';
import { readSignInSettings } from './sign-in-settings.js';
import { takeTokenFromAddress } from './take-token-from-address.js';

/** Which token the page works with. */
export interface Session {
  /** The token; one that the service has rejected stays here, so that what was typed with it does, and is not sent. */
  readonly kept: KeptToken | undefined;
  /** Whether the token may be sent. */
  readonly active: boolean;
  /** Where it is kept. */
  readonly place: Place;
  /** Why a token has to be entered, unless none has been entered yet. */
  readonly problem?: string | undefined;
  /** Why the token in the address was not taken, while the page goes on with the one that it had. */
  readonly notice?: string | undefined;
  /** The token of a link, which the person has to accept first, since the page has another one. */
  readonly offered?: string | undefined;
  /** Whether a token was entered, forgotten or rejected in the open page, so that the focus has to follow. */
  readonly asked: boolean;
  /** What is shown in place of the panel while the reply of the identity provider is checked, and when another tab has taken it. */
  readonly waiting?: string | undefined;
  /** How often the token was renewed because the service had rejected it: what failed with it must be loaded again. */
  readonly restarts?: number;
  /** How often the token could not be renewed, and why the last time. The page keeps trying. */
  readonly unrenewed?: { readonly times: number; readonly reason: string } | undefined;
}

/** The session, and what changes it. */
export interface SessionControl {
  readonly session: Session;
  /** Uses a token that was checked, and keeps it in a place. */
  use(token: string, place: Place): void;
  /** Goes on with the token that a link offers, or with the one that the page has. */
  answerOffer(isAccepted: boolean): void;
  /** Keeps the token on the device from now on, or in this tab alone. */
  keepIn(place: Place): void;
  /** Asks for another token, with the reason; what was typed stays. A token that is no longer used changes nothing. */
  reject(token: string, message: string): Promise<void>;
  /** The token that takes the place of one that was rejected or is about to expire; the same one where there is none. */
  renew(token: string): Promise<string>;
  /** Goes on with the token that took the place of the one in use. */
  replace(token: string): void;
  /** Removes the token from memory and storage, in all tabs. */
  forget(): void;
}

const forgotten: Session = { kept: undefined, active: false, place: 'tab', asked: true };

/**
 * The token of this tab: that of the address that opened the page, or of a later one that is entered in the tab, the one from
 * before a reload, or the one of the device.
 *
 * @param signingIn what the reply of the identity provider in the address leads to
 */
export function useSession(
  tokenFromAddress: string | undefined,
  signingIn?: Promise<SignedIn | string> | string,
): SessionControl {
  const [session, setSession] = useState(() => openSession(tokenFromAddress, signingIn));
  const latest = useRef(session);
  /** Of all tokens so far. */
  const ids = useRef(new Map<string, string>());
  /** The ids of sign-ins that the identity provider renews no more. */
  const ended = useRef(new Set<string>());
  /** The token that the service rejected last, and when it lately rejected others. */
  const rejected = useRef<{ readonly token?: string; readonly times: readonly number[] }>({ times: [] });
  /** The renewals in flight, by the id of the sign-in. */
  const renewals = useRef(new Map<string, Promise<string>>());
  // Before it is shown: a token that seems forgotten is in no storage.
  useLayoutEffect(() => {
    const before = latest.current;
    latest.current = session;
    const { kept, active, place } = session;
    if (session.waiting !== undefined) return;
    if (kept !== undefined) ids.current.set(kept.token, kept.id);
    if (place === 'device') {
      keep('tab', undefined);
      const isTaken = active && !(before.active && before.place === place && before.kept?.id === kept?.id);
      // Another tab may have put another token there.
      if (!isTaken && readKept(place)?.id !== kept?.id) return;
    }
    keep(place, active || session.unrenewed ? kept : undefined);
  }, [session]);
  const use = useCallback(
    (token: string, place: Place) =>
      setSession({ kept: enteredToken(token), active: true, place, asked: true }),
    [],
  );
  const answerOffer = useCallback(
    (isAccepted: boolean) =>
      setSession((now) =>
        isAccepted && now.offered !== undefined ? entered(now.offered) : { ...now, offered: undefined },
      ),
    [],
  );
  const keepIn = useCallback((place: Place) => {
    if (place === 'tab') keep('device', undefined);
    setSession((now) => ({ ...now, place }));
  }, []);
  const renew = useCallback(async (token: string) => {
    const { kept } = latest.current;
    if (kept === undefined) return token;
    if (kept.token !== token) return ids.current.get(token) === kept.id ? kept.token : token;
    const { id, signIn } = kept;
    if (signIn?.shared === undefined || ended.current.has(id)) return token;
    /** Changes the session, unless that is no longer the same. */
    const change = (to: (now: Session) => Session) =>
      setSession((now) => (now.kept?.id === id ? to(now) : now));
    const renewal =
      renewals.current.get(id) ??
      renewToken(kept)
        .then(
          (renewed) => {
            if (renewed === undefined) ended.current.add(id);
            change((now) => {
              const { unrenewed, ...session } = now;
              if (renewed !== undefined) {
                const restarts = (now.restarts ?? 0) + Number(rejected.current.token === token);
                return { ...session, kept: renewed, active: true, restarts };
              }
              return now.active ? session : { ...session, problem: signInEnded, asked: true };
            });
            return renewed?.token ?? token;
          },
          (error: Error) => {
            change((now) => ({
              ...now,
              unrenewed: { times: (now.unrenewed?.times ?? 0) + 1, reason: error.message },
            }));
            return token;
          },
        )
        .finally(() => renewals.current.delete(id));
    renewals.current.set(id, renewal);
    return renewal;
  }, []);
  const replace = useCallback(
    (token: string) => setSession((now) => (now.kept ? { ...now, kept: { ...now.kept, token } } : now)),
    [],
  );
  const reject = useCallback(
    async (token: string, problem: string) => {
      const { kept } = latest.current;
      // The reply to a request with an earlier token may come late.
      if (kept?.token !== token) return;
      const nowMs = performance.now();
      const times = rejected.current.times.filter((timeMs) => nowMs - timeMs < rejectionWindowMs);
      if (rejected.current.token !== token) times.push(nowMs);
      rejected.current = { token, times };
      const isFutile = times.length > maxRejections;
      // An import has tried with no other.
      if (!isFutile && (await renew(token)) !== token) return;
      setSession((now) => {
        if (!now.active || now.kept?.token !== token) return now;
        if (now.offered !== undefined) return entered(now.offered);
        if (now.unrenewed !== undefined) return { ...now, active: false };
        return { ...now, active: false, problem, asked: true };
      });
    },
    [renew],
  );
  const forget = useCallback(() => {
    const gone = new Map<string, KeptToken>();
    for (const kept of [readKept('device'), latest.current.kept]) if (kept) gone.set(kept.id, kept);
    for (const place of ['tab', 'device'] as const) keep(place, undefined);
    setSession(forgotten);
    const others = openChannel(forgetChannel);
    others.postMessage([...gone.keys()]);
    others.close();
    for (const kept of gone.values()) void end(kept);
  }, []);
  useEffect(() => {
    // An address that differs in its fragment alone does not load the page again.
    const onHashChange = () => {
      const text = takeTokenFromAddress(window);
      if (text !== undefined) setSession((before) => enter(text, before));
    };
    // Another tab has put another token on the device, or removed that of this tab.
    const onStorage = ({ key }: StorageEvent) => {
      if (key !== nameOf(tabStorageKeys.token)) return;
      const id = readKept('device')?.id;
      setSession((now) => (now.place === 'device' && now.kept?.id !== id ? { ...now, place: 'tab' } : now));
    };
    // While the page was left, and Back restored it, another tab may have forgotten the token.
    const onPageShow = ({ persisted }: PageTransitionEvent) => {
      const { kept } = latest.current;
      if (!persisted || kept === undefined) return;
      void renew(kept.token).then(() => {
        if (ended.current.has(kept.id)) setSession((now) => (now.kept?.id === kept.id ? forgotten : now));
      });
    };
    const others = openChannel(forgetChannel);
    others.onmessage = ({ data: gone }: MessageEvent<readonly string[]>) =>
      setSession((now) => (now.kept && gone.includes(now.kept.id) ? { ...forgotten, asked: false } : now));
    const stopReceiving = onHandOver(({ kept, isRemembered }) =>
      setSession({ kept, active: true, place: isRemembered ? 'device' : 'tab', asked: true }),
    );
    window.addEventListener('hashchange', onHashChange);
    window.addEventListener('storage', onStorage);
    window.addEventListener('pageshow', onPageShow);
    return () => {
      window.removeEventListener('hashchange', onHashChange);
      window.removeEventListener('storage', onStorage);
      window.removeEventListener('pageshow', onPageShow);
      others.close();
      stopReceiving();
    };
  }, [renew]);
  useEffect(() => {
    if (signingIn === undefined || typeof signingIn === 'string') return;
    let isShown = true;
    void signingIn.then(async (signedIn) => {
      if (!isShown) return;
      if (typeof signedIn === 'string') {
        // The tab may have a token already: a link that looks like a reply must not take it away.
        setSession(() => withProblem(openSession(undefined), signedIn));
        return;
      }
      const isTaken = await import('./hand-over.js').then(
        ({ handOver }) => handOver(signedIn),
        () => false,
      );
      if (isTaken) {
        setSession((now) => ({ ...now, waiting: 'You are signed in, in the other tab. Close this one.' }));
        window.close();
        return;
      }
      const { kept, isRemembered, returnTo } = signedIn;
      setSession({ kept, active: true, place: isRemembered ? 'device' : 'tab', asked: false });
      navigate(parseRoute(new URL(returnTo, location.href)), { replace: true });
    });
    return () => {
      isShown = false;
    };
  }, [signingIn]);
  const { kept, active, unrenewed } = session;
  useEffect(() => {
    const delayMs = kept && (active || unrenewed) && renewalDelayMs(kept, unrenewed?.times);
    if (kept === undefined || delayMs === undefined) return;
    const renewNow = () => void renew(kept.token);
    const timer = setTimeout(renewNow, delayMs);
    if (unrenewed) window.addEventListener('online', renewNow);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('online', renewNow);
    };
  }, [kept, active, unrenewed, renew]);
  return useMemo(
    () => ({ session, use, answerOffer, keepIn, reject, renew, replace, forget }),
    [session, use, answerOffer, keepIn, reject, renew, replace, forget],
  );
}

/** The channel to the other tabs of this page, with the ids of tokens to forget. */
const forgetChannel = 'plant-store.forget';

/**
 * How many tokens the page renews within a time because the service rejects them. No token lives less than a second, so a service that
 * rejects more does not do so because they have expired. Its clock may be wrong.
 */
const maxRejections = 10;
const rejectionWindowMs = 10_000;

const signInEnded = 'Your sign-in has ended. Sign in again.';

/** Ends a sign-in at the identity provider as well, if that is possible. */
async function end(kept: KeptToken): Promise<void> {
  const settings = readSignInSettings();
  if (kept.signIn?.shared === undefined || settings === undefined) return;
  const { endSignIn } = await loadPart(() => import('./sign-in.js'));
  await endSignIn(settings, kept).catch(() => undefined);
}

function openSession(
  tokenFromAddress: string | undefined,
  signingIn?: Promise<SignedIn | string> | string,
): Session {
  const inTab = readKept('tab');
  const kept = inTab ?? readKept('device');
  const place = inTab === undefined && kept !== undefined ? 'device' : 'tab';
  const session: Session = { kept, active: kept !== undefined, place, asked: false };
  // A link that looks like a reply changes nothing in a tab that has a token.
  if (typeof signingIn === 'string') return kept === undefined ? { ...session, problem: signingIn } : session;
  if (signingIn !== undefined) return { ...forgotten, asked: false, waiting: 'Signing in…' };
  return tokenFromAddress === undefined ? session : enter(tokenFromAddress, session);
}

function enter(text: string, before: Session): Session {
  const { token, problem } = readToken(text);
  if (token === undefined) return withProblem(before, `The token in the address cannot be used. ${problem}`);
  // One that the device has stays there.
  const isSame = before.kept?.token === token;
  if ((before.active || before.unrenewed) && !isSame) return { ...before, offered: token };
  const place = isSame ? before.place : 'tab';
  return { kept: isSame ? before.kept : enteredToken(token), active: true, place, asked: before.asked };
}

/** A session with a token from a link that the person has accepted. */
function entered(token: string): Session {
  return { kept: enteredToken(token), active: true, place: 'tab', asked: true };
}

/** Shows why the address gives no token: above what the page shows with the one that it has, or where it asks for one. */
function withProblem(before: Session, problem: string): Session {
  return before.active
    ? { ...before, notice: `${problem} The page keeps its token.` }
    : { ...before, problem };
}
