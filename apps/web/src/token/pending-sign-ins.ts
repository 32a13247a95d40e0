import { readStored, storageKeys, writeStored } from '../shared/page-storage.js';

/** A sign-in in progress. The tab keeps it after the identity provider replied, because Back returns to the provider's form. */
export interface PendingSignIn {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  /** Whether to keep the token on the device. */
  readonly isRemembered: boolean;
  /** The address to return to after the sign-in, without its origin. */
  readonly returnTo: string;
  /** Whether the sign-in is in a new tab, which has a copy of this. */
  readonly isInNewTab: boolean;
  /** The codes that this tab received. A provider may end the sign-in if a code is used twice (RFC 6749, section 4.1.2). */
  readonly codes: readonly string[];
}

/** The maximum number of sign-ins that a tab keeps. */
const maxPendingSignIns = 5;

/** Stores a sign-in of this tab, in place of an earlier one with the same `state`. */
export function savePendingSignIn(pending: PendingSignIn): void {
  const others = readPendingSignIns().filter(({ state }) => state !== pending.state);
  writeStored(storageKeys.signIn, [...others, pending].slice(-maxPendingSignIns));
}

/** The sign-in of this tab with a `state`. */
export function findPendingSignIn(state: unknown): PendingSignIn | undefined {
  return readPendingSignIns().find((pending) => pending.state === state);
}

function readPendingSignIns(): readonly PendingSignIn[] {
  const stored = readStored(storageKeys.signIn);
  return Array.isArray(stored) ? stored : [];
}

/** A reply of the identity provider (RFC 6749, section 4.1.2). */
export interface SignInReply {
  readonly parameters: URLSearchParams;
  /** The sign-in that it belongs to. `undefined` if there is none (the link may be forged), or if the reply was used before. */
  readonly pending: PendingSignIn | undefined;
}

/** The parts of `window` that contain the reply of the identity provider. */
interface AddressBar {
  readonly location: Pick<Location, 'pathname' | 'search'>;
  readonly history: Pick<History, 'replaceState' | 'state'>;
}

/** Removes the reply of the identity provider from the address, and returns it. `undefined` if there is none. */
export function takeSignInReply({ location, history }: AddressBar): SignInReply | undefined {
  const parameters = new URLSearchParams(location.search);
  const code = parameters.get('code');
  if (!parameters.has('state') || !(code !== null || parameters.has('error'))) return undefined;
  history.replaceState(history.state, '', location.pathname);
  const pending = findPendingSignIn(parameters.get('state'));
  return { parameters, pending: code !== null && pending?.codes.includes(code) ? undefined : pending };
}
