import { keepInTab, readFromTab, tabStorageKeys } from '../shared/tab-storage.js';

/**
 * A sign-in in progress. The tab keeps it until the identity provider replies, and afterward, because Back leads to the provider's form
 * again.
 */
export interface BegunSignIn {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  /** Whether to keep the token on the device. */
  readonly isRemembered: boolean;
  /** The address to return to after the sign-in, without its origin. */
  readonly returnTo: string;
  /** Whether the sign-in is in a new tab, which has a copy of this. */
  readonly isInNewTab: boolean;
  /** The codes that this tab has received. A provider may end the sign-in if a code is used twice (RFC 6749, section 4.1.2). */
  readonly codes: readonly string[];
}

/** How many sign-ins a tab keeps. */
const maxBegun = 5;

/** Stores a sign-in of this tab, and replaces its earlier state. */
export function keepBegun(begun: BegunSignIn): void {
  const others = readBegun().filter(({ state }) => state !== begun.state);
  keepInTab(tabStorageKeys.signIn, [...others, begun].slice(-maxBegun));
}

/** The sign-in of this tab with a `state`. */
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
  /** The sign-in that it belongs to; `undefined` for a possibly forged link, and for a repeated reply. */
  readonly begun: BegunSignIn | undefined;
}

/** The parts of `window` that contain the reply of the identity provider. */
interface Addressed {
  readonly location: Pick<Location, 'pathname' | 'search'>;
  readonly history: Pick<History, 'replaceState' | 'state'>;
}

/** Removes the reply of the identity provider from the query of the address, and returns it; `undefined` without one. */
export function takeSignInReply({ location, history }: Addressed): SignInReply | undefined {
  const parameters = new URLSearchParams(location.search);
  const code = parameters.get('code');
  if (!parameters.has('state') || !(code !== null || parameters.has('error'))) return undefined;
  history.replaceState(history.state, '', location.pathname);
  const begun = findBegun(parameters.get('state'));
  return { parameters, begun: code !== null && begun?.codes.includes(code) ? undefined : begun };
}
