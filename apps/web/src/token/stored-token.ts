import {
  isStorageBlocked,
  openStorage,
  readStored,
  storageKeys,
  writeStored,
} from '../shared/page-storage.js';

/** A token that is stored for the next page load. */
export interface StoredToken {
  readonly token: string;
  /** Stays the same while the token of a sign-in is renewed. */
  readonly id: string;
  /** The sign-in at the identity provider that issued the token. */
  readonly signIn?: SignIn | undefined;
}

/** The data of a sign-in other than its token. */
export interface SignIn {
  /** Where the refresh token is stored; `undefined` if there is none. */
  readonly shared?: SharedSignIn | undefined;
  /** When the token expires, in milliseconds since the epoch. */
  readonly expiresAt?: number | undefined;
}

/** The ID of the record in IndexedDB that holds the refresh token for all tabs of a sign-in, and the key that decrypts the record. */
export interface SharedSignIn {
  readonly record: number;
  readonly key: string;
}

/** Where a token is stored: in the tab, or on the device if the person chose that. */
export type StorageArea = 'tab' | 'device';

/** Returns the stored form of a token that a person entered. */
export function enteredToken(token: string): StoredToken {
  return { token, id: token };
}

/** Reads the token in a storage area; `undefined` if there is none. */
export function readStoredToken(area: StorageArea): StoredToken | undefined {
  const stored = readStored(storageKeys.token, openStorage(area));
  if (typeof stored === 'string') return enteredToken(stored);
  const { token, id, signIn } = Object(stored);
  return typeof token === 'string' && typeof id === 'string' ? { token, id, signIn } : undefined;
}

/** Stores a token in a storage area; `undefined` removes the token there. */
export function writeStoredToken(area: StorageArea, stored: StoredToken | undefined): void {
  writeStored(storageKeys.token, stored?.signIn === undefined ? stored?.token : stored, openStorage(area));
}

/** Whether the browser blocks the storage on the device. */
export function isDeviceBlocked(): boolean {
  return isStorageBlocked(openStorage('device'));
}
