/** The sign-in settings that the service writes into the HTML document. */
export interface SignInSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** The requested scopes, separated by spaces. */
  readonly scope: string;
  /** The audience that identifies the service at the provider. */
  readonly audience: string;
}

/** Reads the settings from the document; `undefined` if sign-in is not configured. */
export function readSignInSettings(): SignInSettings | undefined {
  const content = document.querySelector<HTMLMetaElement>('meta[name="sign-in"]')?.content;
  return content === undefined ? undefined : JSON.parse(content);
}
