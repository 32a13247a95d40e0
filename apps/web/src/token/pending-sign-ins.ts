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
  /** Whether the sign-in opens in a new tab, which starts with a copy of this data. */
  readonly isInNewTab: boolean;
}

/** Stores this tab's sign-in, in place of an earlier one. */
export function savePendingSignIn(pending: PendingSignIn): void {
  writeStored(storageKeys.signIn, pending);
}

/** Whether this tab's sign-in has this `state`. */
export function isPending(state: unknown): boolean {
  return state !== undefined && Object(readStored(storageKeys.signIn)).state === state;
}

/** Removes and returns this tab's sign-in if it has this `state`, so that a reply is used only once. */
export function takePendingSignIn(state: unknown): PendingSignIn | undefined {
  if (!isPending(state)) return undefined;
  const pending = readStored(storageKeys.signIn);
  writeStored(storageKeys.signIn, undefined);
  return pending as PendingSignIn;
}

/** The identity provider's reply (RFC 6749, section 4.1.2). */
export interface SignInReply {
  readonly parameters: URLSearchParams;
  /** The sign-in that the reply belongs to. `undefined` if there is none (the link can be forged), or if the reply was used before. */
  readonly pending: PendingSignIn | undefined;
}

/** The parts of `window` that contain the identity provider's reply. */
interface AddressBar {
  readonly location: Pick<Location, 'pathname' | 'search'>;
  readonly history: Pick<History, 'replaceState' | 'state'>;
}

/** Removes the identity provider's reply from the address, and returns it. `undefined` if there is none. */
export function takeSignInReply({ location, history }: AddressBar): SignInReply | undefined {
  const parameters = new URLSearchParams(location.search);
  if (!parameters.has('state') || !(parameters.has('code') || parameters.has('error'))) return undefined;
  history.replaceState(history.state, '', location.pathname);
  return { parameters, pending: takePendingSignIn(parameters.get('state')) };
}
