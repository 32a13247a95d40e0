import { type PageStorage, readStored, storageKeys, writeStored } from '../shared/page-storage.js';

/** The parts of `window` that contain the page's address. */
interface AddressBar {
  readonly location: Pick<Location, 'hash' | 'pathname' | 'search'>;
  readonly history: Pick<History, 'replaceState' | 'state'>;
}

/**
 * Returns the token in the fragment of the address (`#token=…`), and removes the fragment from the address and the history. Browsers do
 * not send fragments to servers (RFC 9110, section 4.2.5).
 */
export function takeTokenFromAddress({ location, history }: AddressBar): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token === null) return undefined;
  history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}

/**
 * Takes the token from the address that opened the page, and reloads the page without it.
 *
 * Scripts can read the address with which the document was opened, including its fragment, in
 * `performance.getEntriesByType('navigation')`. Therefore the first document stores the token in this tab, reloads the page, and shows
 * nothing. The reloaded page reads the token from the storage. If the browser blocks the storage, the first document continues.
 */
export function openToken(
  window: AddressBar & { readonly location: Pick<Location, 'replace'> },
  storage?: PageStorage,
): 'loading_again' | { readonly token: string | undefined } {
  const key = storageKeys.tokenFromAddress;
  const token = takeTokenFromAddress(window);
  const stored = readStored(key, storage);
  if (token === undefined) {
    writeStored(key, undefined, storage);
    return { token: typeof stored === 'string' ? stored : undefined };
  }
  writeStored(key, token, storage);
  if (readStored(key, storage) !== token) return { token };
  const { location } = window;
  location.replace(location.pathname + location.search);
  return 'loading_again';
}
