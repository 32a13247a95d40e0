import { type PageStorage, readStored, storageKeys, writeStored } from '../shared/page-storage.js';
import { takeTokenFromAddress } from './take-token-from-address.js';

/** The parts of `window` that this function uses. */
type OpenedWindow = Parameters<typeof takeTokenFromAddress>[0] & {
  readonly location: Pick<Location, 'replace'>;
};

/**
 * Takes the token from the address that opened the page, and reloads the page without it.
 *
 * Scripts can read the address with which the document was opened, including its fragment, in
 * `performance.getEntriesByType('navigation')`. Therefore the first document stores the token in this tab, reloads the page, and shows
 * nothing. The reloaded page reads the token from the storage. If the browser blocks the storage, the first document continues.
 */
export function openToken(
  window: OpenedWindow,
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
