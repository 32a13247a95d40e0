import { readStored, storageKeys, writeStored } from '../shared/page-storage.js';

/** A sign-in in progress. */
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
}

/** Stores the sign-in of this tab, in place of an earlier one. */
export function savePendingSignIn(pending: PendingSignIn): void {
  writeStored(storageKeys.signIn, pending);
}

/** Whether this tab has a sign-in with a `state`. */
export function isPending(state: unknown): boolean {
  return state !== undefined && Object(readStored(storageKeys.signIn)).state === state;
}

/** Removes and returns the sign-in of this tab with a `state`, so that a reply is used once. */
export function takePendingSignIn(state: unknown): PendingSignIn | undefined {
  if (!isPending(state)) return undefined;
  const pending = readStored(storageKeys.signIn);
  writeStored(storageKeys.signIn, undefined);
  return pending as PendingSignIn;
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
  if (!parameters.has('state') || !(parameters.has('code') || parameters.has('error'))) return undefined;
  history.replaceState(history.state, '', location.pathname);
  return { parameters, pending: takePendingSignIn(parameters.get('state')) };
}
