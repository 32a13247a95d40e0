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
