import { readToken } from './read-token.js';
import type { SignedIn } from './sign-in.js';
import { enteredToken, type StorageArea, type StoredToken } from './stored-token.js';

/** The page's session: which token requests use. */
export interface Session {
  /** The token. A rejected token stays here so that typed text stays, too, but it is not sent. */
  readonly stored: StoredToken | undefined;
  /** Whether requests can use the token. */
  readonly active: boolean;
  readonly area: StorageArea;
  /** Why the person must enter a token, unless none was entered yet. */
  readonly problem?: string | undefined;
  /** Why the page did not take the token in the address, and still uses the current one. */
  readonly notice?: string | undefined;
  /** The token of a link, which the person must accept first, because the page has another one. */
  readonly offered?: string | undefined;
  /** Whether to move the focus, because a token was entered, removed, or rejected in the open page. */
  readonly shouldFocus: boolean;
  /** Replaces the token form while the page checks the reply of the identity provider, or once another tab accepted it. */
  readonly waiting?: string | undefined;
  /** How many times a rejected token was renewed. After each renewal, failed requests are sent again. */
  readonly restarts?: number;
  /** How many renewals in a row failed, and why the last one did. The page keeps trying. */
  readonly renewalFailure?: { readonly times: number; readonly reason: string } | undefined;
}

type StoredTokens = Readonly<Record<StorageArea, StoredToken | undefined>>;

/** A session event. An event with the token or ID of an earlier session is ignored. */
export type SessionEvent = Readonly<
  | { type: 'use'; token: string; area: StorageArea }
  | { type: 'signIn'; signedIn: SignedIn; shouldFocus: boolean }
  | { type: 'failSignIn'; tokens: StoredTokens; problem: string }
  /** The tab that requested the sign-in accepted it. */
  | { type: 'handOver' }
  /** The address of the open page changed to one with a token. */
  | { type: 'openLink'; text: string }
  | { type: 'answerOffer'; isAccepted: boolean }
  | { type: 'keepIn'; area: StorageArea }
  /** Another tab changed which token is on the device. */
  | { type: 'changeDevice'; deviceId: string | undefined }
  /** The service rejected the token, and no renewal replaces it. */
  | { type: 'reject'; token: string; problem: string }
  /** `restarts`: whether the service had rejected the token. */
  | { type: 'renew'; id: string; stored: StoredToken; restarts: boolean }
  | { type: 'failRenewal'; id: string; reason: string }
  /** The identity provider no longer renews the sign-in. */
  | { type: 'endRenewal'; id: string }
  /** The person rotated the token. */
  | { type: 'replace'; token: string }
  /** The person signed out, either here or, for tokens with these IDs, in another tab. */
  | { type: 'forget'; ids?: readonly string[]; shouldFocus: boolean }
>;

const signedOut: Session = { stored: undefined, active: false, area: 'tab', shouldFocus: true };

/**
 * Returns the session when the page opens, with the token in the address, in the tab, or on the device.
 *
 * @param signingIn the reply of the identity provider while it is checked, or why the sign-in failed
 */
export function openSession(
  { tab, device }: StoredTokens,
  tokenFromAddress?: string,
  signingIn?: Promise<unknown> | string,
): Session {
  const stored = tab ?? device;
  const area = tab === undefined && device !== undefined ? 'device' : 'tab';
  const session: Session = { stored, active: stored !== undefined, area, shouldFocus: false };
  // A link that looks like a reply changes nothing in a tab that has a token.
  if (typeof signingIn === 'string')
    return stored === undefined ? { ...session, problem: signingIn } : session;
  if (signingIn !== undefined) return { ...signedOut, shouldFocus: false, waiting: 'Signing in…' };
  return tokenFromAddress === undefined ? session : openLink(session, tokenFromAddress);
}

/** Returns the session after an event, or the same object if the event changes nothing. */
export function reduceSession(session: Session, event: SessionEvent): Session {
  const { stored, active, offered, renewalFailure } = session;
  if ('id' in event && event.id !== stored?.id) return session;
  switch (event.type) {
    case 'use':
      return startWith(event.token, event.area);
    case 'signIn': {
      const { signedIn } = event;
      return {
        stored: signedIn.stored,
        active: true,
        area: signedIn.isRemembered ? 'device' : 'tab',
        shouldFocus: event.shouldFocus,
      };
    }
    case 'failSignIn':
      // A link that looks like a reply must not remove the tab's token.
      return withProblem(openSession(event.tokens), event.problem);
    case 'handOver':
      return { ...session, waiting: 'The other tab is now signed in. You can close this one.' };
    case 'openLink':
      return openLink(session, event.text);
    case 'answerOffer':
      return event.isAccepted && offered !== undefined
        ? startWith(offered)
        : { ...session, offered: undefined };
    case 'keepIn':
      return { ...session, area: event.area };
    case 'changeDevice':
      return session.area === 'device' && stored?.id !== event.deviceId
        ? { ...session, area: 'tab' }
        : session;
    case 'reject':
      if (!active || stored?.token !== event.token) return session;
      if (offered !== undefined) return startWith(offered);
      // The page keeps trying to renew the token.
      if (renewalFailure !== undefined) return { ...session, active: false };
      return { ...session, active: false, problem: event.problem, shouldFocus: true };
    case 'renew': {
      const restarts = (session.restarts ?? 0) + Number(event.restarts);
      return { ...session, stored: event.stored, active: true, renewalFailure: undefined, restarts };
    }
    case 'failRenewal':
      return {
        ...session,
        renewalFailure: { times: (renewalFailure?.times ?? 0) + 1, reason: event.reason },
      };
    case 'endRenewal':
      // The token may still be valid until it expires.
      if (active) return { ...session, renewalFailure: undefined };
      return {
        ...session,
        renewalFailure: undefined,
        problem: 'Your sign-in expired. Sign in again.',
        shouldFocus: true,
      };
    case 'replace':
      return stored === undefined ? session : { ...session, stored: { ...stored, token: event.token } };
    case 'forget': {
      const isGone = event.ids === undefined || (stored !== undefined && event.ids.includes(stored.id));
      return isGone ? { ...signedOut, shouldFocus: event.shouldFocus } : session;
    }
  }
}

function openLink(session: Session, text: string): Session {
  const { token, problem } = readToken(text);
  if (token === undefined) return withProblem(session, `The token in the link cannot be used. ${problem}`);
  const { stored, active, area, renewalFailure, shouldFocus } = session;
  // A token that is on the device stays there.
  if (stored?.token === token) return { stored, active: true, area, shouldFocus };
  if (active || renewalFailure !== undefined) return { ...session, offered: token };
  return { ...startWith(token), shouldFocus };
}

function startWith(token: string, area: StorageArea = 'tab'): Session {
  return { stored: enteredToken(token), active: true, area, shouldFocus: true };
}

/** Shows why the address has no usable token: above the page if it has another token, or in the token form. */
function withProblem(session: Session, problem: string): Session {
  return session.active
    ? { ...session, notice: `${problem} You are still signed in.` }
    : { ...session, problem };
}
