import { enteredToken, type KeptToken, type Place } from './kept-token.js';
import { readToken } from './read-token.js';
import type { SignedIn } from './sign-in.js';

/** The session of the page: which token it uses. */
export interface Session {
  /** The token. A rejected token stays here but is not sent, so that texts typed with it also stay. */
  readonly kept: KeptToken | undefined;
  /** Whether the token may be sent. */
  readonly active: boolean;
  /** Where it is kept. */
  readonly place: Place;
  /** Why a token has to be entered, unless none has been entered yet. */
  readonly problem?: string | undefined;
  /** Why the page did not take the token in the address, and still uses the current one. */
  readonly notice?: string | undefined;
  /** The token of a link, which the person must accept first, because the page has another one. */
  readonly offered?: string | undefined;
  /** Whether a token was entered, removed, or rejected in the open page, so that the focus must move. */
  readonly asked: boolean;
  /** What the page shows instead of the panel while it checks the reply of the identity provider, or once another tab has taken it. */
  readonly waiting?: string | undefined;
  /** How often the token was renewed because the service rejected it. Failed requests must then be loaded again. */
  readonly restarts?: number;
  /** How often the token could not be renewed, and why the last time. The page keeps trying. */
  readonly unrenewed?: { readonly times: number; readonly reason: string } | undefined;
}

/** The tokens that were kept, by their places. */
type KeptTokens = Readonly<Record<Place, KeptToken | undefined>>;

/** What happens to a session. An event with a token or an ID changes nothing once the session has another one. */
export type SessionEvent = Readonly<
  | { type: 'use'; token: string; place: Place }
  | { type: 'signIn'; signedIn: SignedIn; asked: boolean }
  /** The sign-in failed. */
  | { type: 'failSignIn'; tokens: KeptTokens; problem: string }
  /** The tab that asked for the sign-in took it. */
  | { type: 'handOver' }
  /** The open page got an address with a token. */
  | { type: 'openLink'; text: string }
  | { type: 'answerOffer'; isAccepted: boolean }
  | { type: 'keepIn'; place: Place }
  /** Another tab changed which token is on the device. */
  | { type: 'changeDevice'; deviceId: string | undefined }
  /** The service rejected the token, and no renewal replaces it. */
  | { type: 'reject'; token: string; problem: string }
  /** `restarts`: whether the service had rejected the token before. */
  | { type: 'renew'; id: string; kept: KeptToken; restarts: boolean }
  | { type: 'failRenewal'; id: string; reason: string }
  /** The identity provider no longer renews the sign-in. */
  | { type: 'endRenewal'; id: string }
  /** The person rotated the token. */
  | { type: 'replace'; token: string }
  /** The person signed out: here, or in another tab, of the tokens with these IDs. */
  | { type: 'forget'; ids?: readonly string[]; asked: boolean }
>;

const forgotten: Session = { kept: undefined, active: false, place: 'tab', asked: true };

/**
 * The session of a page that opens: with the token of its address, with the one from before a reload, or with the one of the device.
 *
 * @param signingIn the reply of the identity provider while it is checked, or why the sign-in failed
 */
export function openSession(
  { tab, device }: KeptTokens,
  tokenFromAddress?: string,
  signingIn?: Promise<unknown> | string,
): Session {
  const kept = tab ?? device;
  const place = tab === undefined && device !== undefined ? 'device' : 'tab';
  const session: Session = { kept, active: kept !== undefined, place, asked: false };
  // A link that looks like a reply changes nothing in a tab that has a token.
  if (typeof signingIn === 'string') return kept === undefined ? { ...session, problem: signingIn } : session;
  if (signingIn !== undefined) return { ...forgotten, asked: false, waiting: 'Signing in…' };
  return tokenFromAddress === undefined ? session : openLink(session, tokenFromAddress);
}

/** The session after an event; the same object if the event changes nothing. */
export function reduceSession(session: Session, event: SessionEvent): Session {
  const { kept, active, offered, unrenewed } = session;
  if ('id' in event && event.id !== kept?.id) return session;
  switch (event.type) {
    case 'use':
      return startWith(event.token, event.place);
    case 'signIn': {
      const { kept, isRemembered } = event.signedIn;
      return { kept, active: true, place: isRemembered ? 'device' : 'tab', asked: event.asked };
    }
    case 'failSignIn':
      // A link that looks like a reply must not remove the tab's token.
      return withProblem(openSession(event.tokens), event.problem);
    case 'handOver':
      return { ...session, waiting: 'You are signed in in the other tab. You can close this one.' };
    case 'openLink':
      return openLink(session, event.text);
    case 'answerOffer':
      return event.isAccepted && offered !== undefined
        ? startWith(offered)
        : { ...session, offered: undefined };
    case 'keepIn':
      return { ...session, place: event.place };
    case 'changeDevice':
      return session.place === 'device' && kept?.id !== event.deviceId
        ? { ...session, place: 'tab' }
        : session;
    case 'reject':
      if (!active || kept?.token !== event.token) return session;
      if (offered !== undefined) return startWith(offered);
      // The page keeps trying to renew it.
      if (unrenewed !== undefined) return { ...session, active: false };
      return { ...session, active: false, problem: event.problem, asked: true };
    case 'renew': {
      const restarts = (session.restarts ?? 0) + Number(event.restarts);
      return { ...session, kept: event.kept, active: true, unrenewed: undefined, restarts };
    }
    case 'failRenewal':
      return { ...session, unrenewed: { times: (unrenewed?.times ?? 0) + 1, reason: event.reason } };
    case 'endRenewal':
      // The token may still be valid until it expires.
      if (active) return { ...session, unrenewed: undefined };
      return {
        ...session,
        unrenewed: undefined,
        problem: 'Your sign-in expired. Sign in again.',
        asked: true,
      };
    case 'replace':
      return kept === undefined ? session : { ...session, kept: { ...kept, token: event.token } };
    case 'forget': {
      const isGone = event.ids === undefined || (kept !== undefined && event.ids.includes(kept.id));
      return isGone ? { ...forgotten, asked: event.asked } : session;
    }
  }
}

function openLink(session: Session, text: string): Session {
  const { token, problem } = readToken(text);
  if (token === undefined) return withProblem(session, `The token in the link cannot be used. ${problem}`);
  const { kept, active, place, unrenewed, asked } = session;
  // A token that is on the device stays there.
  if (kept?.token === token) return { kept, active: true, place, asked };
  if (active || unrenewed !== undefined) return { ...session, offered: token };
  return { ...startWith(token), asked };
}

function startWith(token: string, place: Place = 'tab'): Session {
  return { kept: enteredToken(token), active: true, place, asked: true };
}

/** Shows why the address has no usable token: above the page if it has another token, or in the token form. */
function withProblem(session: Session, problem: string): Session {
  return session.active
    ? { ...session, notice: `${problem} You are still signed in.` }
    : { ...session, problem };
}
