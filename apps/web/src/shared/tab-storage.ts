import { basePath } from '../route.js';

/** The keys under which the page keeps what a reload must not lose, in the tab; on the device the preferences, and the token if the person wants that. */
export const tabStorageKeys = {
  token: 'plant-store.token',
  /** What has to be known when the identity provider sends the person back. */
  signIn: 'plant-store.sign-in',
  tokenFromAddress: 'plant-store.token-from-address',
  draft: 'plant-store.draft',
  added: 'plant-store.added',
  edit: 'plant-store.edit',
  characterKeys: 'plant-store.character-keys',
  preferences: 'plant-store.preferences',
} as const;

type Key = (typeof tabStorageKeys)[keyof typeof tabStorageKeys];

/** The part of `sessionStorage` that is used. */
export type TabStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/**
 * Reads what was kept in this tab. `undefined` without it, where the browser blocks the storage, and where it is not JSON,
 * such as that of an earlier version of the page.
 */
export function readFromTab(key: Key, storage = openStorage()): unknown {
  try {
    const text = storage?.getItem(nameOf(key));
    return text == null ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Keeps a value of JSON in this tab; `undefined` removes it. Where that is not possible, a reload forgets it. */
export function keepInTab(key: Key, value: unknown, storage = openStorage()): void {
  try {
    if (value === undefined) storage?.removeItem(nameOf(key));
    else storage?.setItem(nameOf(key), JSON.stringify(value));
  } catch {
    // Full or blocked: the page works on without it.
  }
}

/** Below a prefix there may be another store, which the token is not for. */
export function nameOf(key: string, base = basePath): string {
  return base === '/' ? key : `${key} ${base}`;
}

/** The parts of a `BroadcastChannel` that are used. */
interface Channel {
  onmessage: ((event: MessageEvent) => void) | null;
  postMessage(data: unknown): void;
  close(): void;
}

/** Opens a channel to the other tabs of this page; it leads nowhere where the browser blocks that with the storage, as Firefox does. */
export function openChannel(name: string): Channel {
  try {
    return new BroadcastChannel(nameOf(name));
  } catch {
    return new MessageChannel().port1;
  }
}

/** The access alone throws where the browser blocks storage. */
export function openStorage(place: 'tab' | 'device' = 'tab'): TabStorage | undefined {
  try {
    return place === 'tab' ? globalThis.sessionStorage : globalThis.localStorage;
  } catch {
    return undefined;
  }
}

/** What to do where the page cannot go on: a browser that blocks storage, or whose storage is full, keeps nothing over a reload. */
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
