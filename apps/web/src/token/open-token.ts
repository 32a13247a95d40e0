import { keepInTab, readFromTab, type TabStorage, tabStorageKeys } from '../shared/tab-storage.js';
import { takeTokenFromAddress } from './take-token-from-address.js';

/** The parts of `window` that this function uses. */
type Opened = Parameters<typeof takeTokenFromAddress>[0] & {
  readonly location: Pick<Location, 'replace'>;
};

/**
 * Takes the token from the address that opened the page, and reloads the page without it.
 *
 * A browser keeps the address of a navigation, with its fragment, where scripts can read it until the document is left:
 * `performance.getEntriesByType('navigation')`. So the document that gets a token stores it in this tab, reloads the page, and shows
 * nothing; the reloaded page takes the token from the storage. If the browser blocks the storage, the first document continues.
 */
export function openToken(
  window: Opened,
  storage?: TabStorage,
): 'loading_again' | { readonly token: string | undefined } {
  const key = tabStorageKeys.tokenFromAddress;
  const token = takeTokenFromAddress(window);
  const kept = readFromTab(key, storage);
  if (token === undefined) {
    keepInTab(key, undefined, storage);
    return { token: typeof kept === 'string' ? kept : undefined };
  }
  keepInTab(key, token, storage);
  if (readFromTab(key, storage) !== token) return { token };
  const { location } = window;
  location.replace(location.pathname + location.search);
  return 'loading_again';
}
