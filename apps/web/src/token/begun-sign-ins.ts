import { keepInTab, readFromTab, tabStorageKeys } from '../shared/tab-storage.js';

/** What the tab keeps while the identity provider asks the person, and afterwards, since Back leads to its form again. */
export interface BegunSignIn {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  /** Whether to keep the token on the device. */
  readonly isRemembered: boolean;
  /** The address that was left to sign in, without its origin. */
  readonly returnTo: string;
  /** Whether the identity provider asks in a new tab, which has a copy of this. */
  readonly isInNewTab: boolean;
  /** The codes that this tab has received. A provider may end the sign-in when it gets one again (RFC 6749, section 4.1.2). */
  readonly codes: readonly string[];
}

/** How many sign-ins a tab keeps. */
const maxBegun = 5;

/** Keeps a sign-in that was begun in this tab, in place of its earlier state. */
export function keepBegun(begun: BegunSignIn): void {
  const others = readBegun().filter(({ state }) => state !== begun.state);
  keepInTab(tabStorageKeys.signIn, [...others, begun].slice(-maxBegun));
}

/** The sign-in with a state that was begun in this tab. */
export function findBegun(state: unknown): BegunSignIn | undefined {
  return readBegun().find((begun) => begun.state === state);
}

function readBegun(): readonly BegunSignIn[] {
  const kept = readFromTab(tabStorageKeys.signIn);
  return Array.isArray(kept) ? kept : [];
}

/** A reply of the identity provider (RFC 6749, section 4.1.2). */
export interface SignInReply {
  readonly parameters: URLSearchParams;
  /** The sign-in that it belongs to; `undefined` for a link that anybody may have written, and for a reply that came before. */
  readonly begun: BegunSignIn | undefined;
}

/** The parts of `window` that the reply of the identity provider is in. */
interface Addressed {
  readonly location: Pick<Location, 'pathname' | 'search'>;
  readonly history: Pick<History, 'replaceState' | 'state'>;
}

/** Takes the reply of the identity provider out of the query of the address; `undefined` without one. */
export function takeSignInReply({ location, history }: Addressed): SignInReply | undefined {
  const parameters = new URLSearchParams(location.search);
  const code = parameters.get('code');
  if (!parameters.has('state') || !(code !== null || parameters.has('error'))) return undefined;
  history.replaceState(history.state, '', location.pathname);
  const begun = findBegun(parameters.get('state'));
  return { parameters, begun: code !== null && begun?.codes.includes(code) ? undefined : begun };
}
