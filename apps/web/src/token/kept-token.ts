import { keepInTab, keepsNothing, openStorage, readFromTab, tabStorageKeys } from '../shared/tab-storage.js';

/** A token as stored for the next page load. */
export interface KeptToken {
  readonly token: string;
  /** Stays the same while the token of a sign-in is renewed. */
  readonly id: string;
  /** The sign-in at the identity provider that it came from. */
  readonly signIn?: SignIn | undefined;
}

/** The data of a sign-in other than its token. */
export interface SignIn {
  /** Where its refresh token is stored; `undefined` without one. */
  readonly shared?: SharedSignIn | undefined;
  /** When the token expires, in milliseconds since the epoch. */
  readonly expiresAt?: number | undefined;
}

/** Where all tabs of a sign-in keep its refresh token: a record of `shared-sign-ins.ts`, and the key that decrypts it. */
export interface SharedSignIn {
  readonly record: number;
  readonly key: string;
}

/** Where tokens are kept: in the tab, or on the device, if the person has chosen that. */
export type Place = 'tab' | 'device';

/** A token that was entered. */
export function enteredToken(token: string): KeptToken {
  return { token, id: token };
}

/** Reads the token that is kept in a place; `undefined` without one. */
export function readKept(place: Place): KeptToken | undefined {
  const kept = readFromTab(tabStorageKeys.token, openStorage(place));
  if (typeof kept === 'string') return enteredToken(kept);
  const { token, id, signIn } = Object(kept);
  return typeof token === 'string' && typeof id === 'string' ? { token, id, signIn } : undefined;
}

/** Keeps a token in a place; `undefined` removes the one that is there. */
export function keep(place: Place, kept: KeptToken | undefined): void {
  keepInTab(tabStorageKeys.token, kept?.signIn === undefined ? kept?.token : kept, openStorage(place));
}

/** Whether the browser keeps nothing on the device for this page. */
export function isDeviceBlocked(): boolean {
  return keepsNothing(openStorage('device'));
}
