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

/** Reads a stored value, by default from this tab. `undefined` if there is none, it is not JSON, or the browser blocks the storage. */
export function readStored(key: Key, storage = openStorage()): unknown {
  try {
    const text = storage?.getItem(storageName(key));
    return text == null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Stores a JSON value, by default in this tab, or with `undefined`, removes it. Does nothing if the storage is full or blocked. */
export function writeStored(key: Key, value: unknown, storage = openStorage()): void {
  try {
    if (value === undefined) storage?.removeItem(storageName(key));
    else storage?.setItem(storageName(key), JSON.stringify(value));
  } catch {
    // The page works without it until a reload.
  }
}

/** Adds the path prefix to the name of a key or channel, because another prefix on the same origin can be another store. */
export function storageName(key: string, base = basePath): string {
  return base === '/' ? key : `${key} ${base}`;
}

/** The parts of a `BroadcastChannel` that are used. */
interface Channel {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(data: unknown): void;
  close(): void;
}

/** Opens a channel to the other tabs of this page. If the browser blocks channels, which Firefox ties to storage, returns an idle one. */
export function openChannel(name: string): Channel {
  try {
    return new BroadcastChannel(storageName(name));
  } catch {
    return new MessageChannel().port1;
  }
}

/** Returns a storage area, or `undefined` if the browser blocks it. Reading the property throws then. */
export function openStorage(area: 'tab' | 'device' = 'tab'): PageStorage | undefined {
  try {
    return area === 'tab' ? globalThis.sessionStorage : globalThis.localStorage;
  } catch {
    return undefined;
  }
}

/** Returns what to do if the page cannot continue. If the storage is blocked or full, a reload loses typed text. */
export function adviseReload(storage = openStorage()): string {
  return isStorageBlocked(storage)
    ? 'Copy unsaved text, then reload the page.'
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
