import { basePath } from '../route.js';

/**
 * The storage keys. The tab (`sessionStorage`) keeps data across a reload. The device (`localStorage`) keeps the preferences, and the
 * token if the person chooses that.
 */
export const storageKeys = {
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

type Key = (typeof storageKeys)[keyof typeof storageKeys];

/** The part of `Storage` that is used here. */
export type PageStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Reads a stored value, by default of this tab. `undefined` if there is none, it is not JSON, or the browser blocks the storage. */
export function readStored(key: Key, storage = openStorage()): unknown {
  try {
    const text = storage?.getItem(storageName(key));
    return text == null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Stores a JSON value, by default in this tab. `undefined` removes it. Does nothing if the storage is full or blocked. */
export function writeStored(key: Key, value: unknown, storage = openStorage()): void {
  try {
    if (value === undefined) storage?.removeItem(storageName(key));
    else storage?.setItem(storageName(key), JSON.stringify(value));
  } catch {
    // The page works without it until a reload.
  }
}

/** The name of a key or channel of this store. Another path prefix on the same origin may be another store. */
export function storageName(key: string, base = basePath): string {
  return base === '/' ? key : `${key} ${base}`;
}

/** The parts of a `BroadcastChannel` that are used. */
interface Channel {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(data: unknown): void;
  close(): void;
}

/** Opens a channel to the other tabs of this page. If the browser blocks channels, as Firefox does with storage, it does nothing. */
export function openChannel(name: string): Channel {
  try {
    return new BroadcastChannel(storageName(name));
  } catch {
    return new MessageChannel().port1;
  }
}

/** Opens a storage area; `undefined` if the browser blocks it, in which case reading the property throws. */
export function openStorage(area: 'tab' | 'device' = 'tab'): PageStorage | undefined {
  try {
    return area === 'tab' ? globalThis.sessionStorage : globalThis.localStorage;
  } catch {
    return undefined;
  }
}

/** What to do if the page cannot continue. With a blocked or full storage, a reload loses what was typed. */
export function adviseReload(storage = openStorage()): string {
  return isStorageBlocked(storage)
    ? 'Copy your text, then reload the page. Reloading discards unsaved text.'
    : 'Reload the page. Your text is kept.';
}

/** Whether a storage is blocked or full. */
export function isStorageBlocked(storage: PageStorage | undefined): boolean {
  const key = 'plant-store.probe';
  try {
    storage?.setItem(key, key);
    storage?.removeItem(key);
    return storage === undefined;
  } catch {
    return true;
  }
}
