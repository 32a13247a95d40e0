/** How people sign in, as the service says in the document of the page. */
export interface SignInSettings {
  /** The identity provider, as it calls itself. */
  readonly issuer: string;
  /** What it calls this page. */
  readonly clientId: string;
  /** What is asked for, separated by spaces. */
  readonly scope: string;
  /** What it calls the service. */
  readonly audience: string;
}

/** The settings in the document; `undefined` where nobody can sign in. */
export function readSignInSettings(): SignInSettings | undefined {
  const content = document.querySelector<HTMLMetaElement>('meta[name="sign-in"]')?.content;
  return content === undefined ? undefined : JSON.parse(content);
}

/** The parts of `window` that the reply of the identity provider is in. */
interface Addressed {
  readonly location: Pick<Location, 'pathname' | 'search'>;
  readonly history: Pick<History, 'replaceState' | 'state'>;
}

/**
 * The reply of the identity provider in the query of the address (RFC 6749, section 4.1.2), without which the address is left;
 * `undefined` without one.
 */
export function takeSignInReply({ location, history }: Addressed): URLSearchParams | undefined {
  const parameters = new URLSearchParams(location.search);
  if (!parameters.has('state') || !(parameters.has('code') || parameters.has('error'))) return undefined;
  history.replaceState(history.state, '', location.pathname);
  return parameters;
}
