/** The parts of `window` with the address of the page. */
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
