/** The parts of `window` that hold the address of the page. */
interface Addressed {
  readonly location: Pick<Location, 'hash' | 'pathname' | 'search'>;
  readonly history: Pick<History, 'replaceState' | 'state'>;
}

/**
 * The token in the fragment of the address (`#token=…`), without which the address is left, in the history too. A browser
 * sends no fragment to a server (RFC 9110, section 4.2.5).
 */
export function takeTokenFromAddress({ location, history }: Addressed): string | undefined {
  const token = new URLSearchParams(location.hash.slice(1)).get('token');
  if (token === null) return undefined;
  history.replaceState(history.state, '', location.pathname + location.search);
  return token;
}
