import { basePath } from '../route.js';

/**
 * The storage keys for data that must survive a reload of the tab; on the device, for the preferences, and the token if the person wants
 * that.
 */
export const tabStorageKeys = {
  token: 'plant-store.token',
  /** Needed when the identity provider redirects back. */
  signIn: 'plant-store.sign-in',
  tokenFromAddress: 'plant-store.token-from-address',
  draft: 'plant-store.draft',
  added: 'plant-store.added',
  edit: 'plant-store.edit',
  characterKeys: 'plant-store.character-keys',
  preferences: 'plant-store.preferences',
} as const;

type Key = (typeof tabStorageKeys)[keyof typeof tabStorageKeys];

/** The part of `sessionStorage` that is used here. */
export type TabStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/**
 * Reads what was kept in this tab. `undefined` if there is nothing, if the browser blocks the storage, or if it is not JSON, for example
 * from an earlier version of the page.
 */
export function readFromTab(key: Key, storage = openStorage()): unknown {
  try {
    const text = storage?.getItem(nameOf(key));
    return text == null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Keeps a value of JSON in this tab; `undefined` removes it. If that is not possible, a reload forgets it. */
export function keepInTab(key: Key, value: unknown, storage = openStorage()): void {
  try {
    if (value === undefined) storage?.removeItem(nameOf(key));
    else storage?.setItem(nameOf(key), JSON.stringify(value));
  } catch {
    // Full or blocked; the page works without it.
  }
}

/** Another path prefix may be another store, for which the token is not valid. */
export function nameOf(key: string, base = basePath): string {
  return base === '/' ? key : `${key} ${base}`;
}

/** The parts of a `BroadcastChannel` that are used. */
interface Channel {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(data: unknown): void;
  close(): void;
}

/** Opens a channel to the other tabs of this page. It has no effect if the browser blocks it together with the storage, as Firefox does. */
export function openChannel(name: string): Channel {
  try {
    return new BroadcastChannel(nameOf(name));
  } catch {
    return new MessageChannel().port1;
  }
}

/** Accessing the property throws if the browser blocks storage. */
export function openStorage(place: 'tab' | 'device' = 'tab'): TabStorage | undefined {
  try {
    return place === 'tab' ? globalThis.sessionStorage : globalThis.localStorage;
  } catch {
    return undefined;
  }
}

/** What to do if the page cannot continue. If the browser's storage is blocked or full, a reload loses everything. */
export function adviseReload(storage = openStorage()): string {
  return keepsNothing(storage)
    ? 'Copy your text, then reload the page. This browser does not save it.'
    : 'Reload the page. Your text is kept.';
}

/** Whether a storage is blocked or full. */
export function keepsNothing(storage: TabStorage | undefined): boolean {
  const key = 'plant-store.probe';
  try {
    storage?.setItem(key, key);
    storage?.removeItem(key);
    return storage === undefined;
  } catch {
    return true;
  }
}
