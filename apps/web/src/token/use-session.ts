import { useCallback, useEffect, useMemo, useState } from 'react';
import { keepInTab, readFromTab, tabStorageKeys } from '../shared/tab-storage.js';
import { readToken } from './read-token.js';
import { takeTokenFromAddress } from './take-token-from-address.js';

/** Which token the page works with. */
export interface Session {
  /** The token; one that the service has rejected stays here, so that what was typed with it does, and is not sent. */
  readonly token: string | undefined;
  /** Whether the token may be sent. */
  readonly active: boolean;
  /** Why a token has to be entered, unless none has been entered yet. */
  readonly problem?: string | undefined;
  /** Why the token in the address was not taken, while the page goes on with the one that it had. */
  readonly notice?: string | undefined;
  /** Whether a token was entered, forgotten or rejected in the open page, so that the focus has to follow. */
  readonly asked: boolean;
}

/** The session, and what changes it. */
export interface SessionControl {
  readonly session: Session;
  /** Uses a token that was checked. */
  use(token: string): void;
  /** Asks for another token, with the reason; what was typed stays. A token that is no longer used changes nothing. */
  reject(token: string, message: string): void;
  /** Removes the token from memory and storage. */
  forget(): void;
}

/**
 * The token of this tab: that of the address that opened the page, or of a later one that is entered in the tab, or the one
 * from before a reload.
 */
export function useSession(tokenFromAddress: string | undefined): SessionControl {
  const [session, setSession] = useState(() => openSession(tokenFromAddress));
  useEffect(() => keepInTab(tabStorageKeys.token, session.active ? session.token : undefined), [session]);
  const use = useCallback((token: string) => setSession({ token, active: true, asked: true }), []);
  const forget = useCallback(() => setSession({ token: undefined, active: false, asked: true }), []);
  const reject = useCallback(
    (token: string, problem: string) =>
      // The reply to a request with an earlier token may come late.
      setSession((now) =>
        now.active && now.token === token ? { token, active: false, problem, asked: true } : now,
      ),
    [],
  );
  useEffect(() => {
    // An address that differs in its fragment alone does not load the page again.
    const onHashChange = () => {
      const text = takeTokenFromAddress(window);
      if (text !== undefined) setSession((before) => enter(text, before));
    };
    window.addEventListener('hashchange', onHashChange);
    return () => window.removeEventListener('hashchange', onHashChange);
  }, []);
  return useMemo(() => ({ session, use, reject, forget }), [session, use, reject, forget]);
}

function openSession(tokenFromAddress: string | undefined): Session {
  const kept = readFromTab(tabStorageKeys.token);
  const token = typeof kept === 'string' ? kept : undefined;
  const session: Session = { token, active: token !== undefined, asked: false };
  return tokenFromAddress === undefined ? session : enter(tokenFromAddress, session);
}

function enter(text: string, before: Session): Session {
  const { token, problem } = readToken(text);
  if (token !== undefined) return { token, active: true, asked: before.asked };
  const reason = `The token in the address cannot be used. ${problem}`;
  return before.active
    ? { ...before, notice: `${reason} The page goes on with the one that it has.` }
    : { ...before, problem: reason };
}
