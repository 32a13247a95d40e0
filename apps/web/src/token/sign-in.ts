import * as oauth from 'oauth4webapi';
import { basePath } from '../route.js';
import { keepInTab, readFromTab, tabStorageKeys } from '../shared/tab-storage.js';
import type { KeptToken, SignIn } from './kept-token.js';
import type { SignInSettings } from './sign-in-settings.js';

/** What a sign-in leads to. */
export interface SignedIn {
  readonly kept: KeptToken;
  /** Whether the token is to be kept on the device. */
  readonly isRemembered: boolean;
  /** The address that was left to sign in, without its origin. */
  readonly returnTo: string;
  /** What the tab that has opened this one knows the sign-in by, if one has. */
  readonly askedBy?: string | undefined;
}

/** What is kept in the tab while the identity provider asks the person. */
interface Begun extends Pick<SignedIn, 'isRemembered' | 'returnTo'> {
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
  /** Whether the identity provider asks in a tab of its own, which has a copy of this. */
  readonly isInNewTab: boolean;
}

/**
 * Goes to the identity provider (OpenID Connect Core, section 3.1, with PKCE, RFC 7636).
 *
 * @param isInNewTab whether this one stays as it is, since it has work in it that is not kept
 * @throws {Error} when it cannot be reached, or the browser keeps nothing in the tab
 */
export async function beginSignIn(
  settings: SignInSettings,
  { isRemembered, isInNewTab }: { readonly isRemembered: boolean; readonly isInNewTab: boolean },
): Promise<void> {
  const { authorization_endpoint: endpoint = '' } = await discover(settings);
  const begun: Begun = {
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    codeVerifier: oauth.generateRandomCodeVerifier(),
    ...{ isRemembered, isInNewTab },
    returnTo: location.pathname + location.search,
  };
  keepInTab(tabStorageKeys.signIn, begun);
  if (readFromTab(tabStorageKeys.signIn) === undefined)
    throw new Error('The browser keeps nothing for this page, which signing in needs.');
  const url = new URL(endpoint);
  const parameters = {
    ...{ client_id: settings.clientId, redirect_uri: redirectUri, response_type: 'code' },
    ...{ scope: settings.scope, state: begun.state, nonce: begun.nonce },
    code_challenge: await oauth.calculatePKCECodeChallenge(begun.codeVerifier),
    code_challenge_method: 'S256',
    // Without it there is no refresh token (OpenID Connect Core, section 11).
    ...(settings.scope.split(' ').includes('offline_access') && { prompt: 'consent' }),
    ...audienceOf(settings),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  if (!isInNewTab) location.assign(url);
  else if (window.open(url) === null)
    throw new Error('The browser has opened no new tab to sign in. Permit that, and try again.');
}

/**
 * Takes the token for the reply of the identity provider.
 *
 * @throws {Error} when the person was not signed in, or the reply is not to what this tab has asked for
 */
export async function finishSignIn(settings: SignInSettings, reply: URLSearchParams): Promise<SignedIn> {
  const begun = readFromTab(tabStorageKeys.signIn) as Begun | undefined;
  // A link that looks like a reply does not end the sign-in that was begun.
  if (begun === undefined || reply.get('state') !== begun.state)
    throw new Error('It was not begun in this tab.');
  keepInTab(tabStorageKeys.signIn, undefined);
  const server = await discover(settings);
  // Checks the state and the issuer (RFC 9207).
  const parameters = oauth.validateAuthResponse(server, clientOf(settings), reply, begun.state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    clientOf(settings),
    oauth.None(),
    parameters,
    redirectUri,
    begun.codeVerifier,
    { ...optionsOf(settings), additionalParameters: audienceOf(settings) },
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, clientOf(settings), response, {
    expectedNonce: begun.nonce,
    requireIdToken: true,
  });
  const { isRemembered, returnTo } = begun;
  const kept = { token: tokens.access_token, id: crypto.randomUUID(), signIn: toSignIn(tokens) };
  return { kept, isRemembered, returnTo, ...(begun.isInNewTab && { askedBy: begun.state }) };
}

/**
 * A new token for a sign-in; `undefined` when the person has to sign in again.
 *
 * @throws {Error} when the identity provider cannot be asked at the moment
 */
export async function renewSignIn(
  settings: SignInSettings,
  { id, signIn }: KeptToken,
): Promise<KeptToken | undefined> {
  const refreshToken = signIn?.refreshToken;
  if (refreshToken === undefined) return undefined;
  const server = await discover(settings);
  try {
    const tokens = await oauth.processRefreshTokenResponse(
      server,
      clientOf(settings),
      await oauth.refreshTokenGrantRequest(server, clientOf(settings), oauth.None(), refreshToken, {
        ...optionsOf(settings),
        additionalParameters: audienceOf(settings),
      }),
    );
    // One that it does not replace stays valid (RFC 6749, section 6).
    return { token: tokens.access_token, id, signIn: { refreshToken, ...toSignIn(tokens) } };
  } catch (error) {
    if (error instanceof oauth.ResponseBodyError && error.status < 500) return undefined;
    throw error;
  }
}

/** Makes the refresh token of a sign-in useless (RFC 7009), where the identity provider can. */
export async function endSignIn(settings: SignInSettings, { refreshToken }: SignIn): Promise<void> {
  const server = await discover(settings);
  if (refreshToken === undefined || server.revocation_endpoint === undefined) return;
  const options = optionsOf(settings);
  await oauth.revocationRequest(server, clientOf(settings), oauth.None(), refreshToken, options);
}

/** Why somebody was not signed in. */
export function explainSignIn(error: unknown): string {
  if (error instanceof oauth.AuthorizationResponseError)
    return error.error === 'access_denied'
      ? 'You were not signed in: the sign-in was cancelled, or you may not use this store.'
      : `You were not signed in: ${error.error_description ?? error.error}.`;
  if (error instanceof TypeError && !(error instanceof oauth.OperationProcessingError))
    return 'The identity provider cannot be reached, or does not permit this page to ask it. Try again.';
  const reason = error instanceof oauth.ResponseBodyError ? error.error_description : undefined;
  return `You were not signed in: ${reason ?? (error instanceof Error ? error.message : String(error))}`;
}

type Tokens = Pick<oauth.TokenEndpointResponse, 'refresh_token' | 'expires_in'>;

function toSignIn({ refresh_token: refreshToken, expires_in: seconds }: Tokens): SignIn {
  return {
    ...(refreshToken !== undefined && { refreshToken }),
    ...(seconds !== undefined && { expiresAt: Date.now() + seconds * 1_000 }),
  };
}

/** Where the identity provider sends people back to: the page itself. */
const redirectUri = location.origin + basePath;

const clientOf = ({ clientId }: SignInSettings): oauth.Client => ({ client_id: clientId });

/** The service accepts an issuer without TLS on this machine alone. */
const optionsOf = ({ issuer }: SignInSettings) =>
  issuer.startsWith('http:') ? { [oauth.allowInsecureRequests]: true } : {};

/** For whom the token is: by its standard name (RFC 8707) where it can be, and by that of providers before that. */
function audienceOf({ audience }: SignInSettings): Record<string, string> {
  return { audience, ...(/^https?:/.test(audience) && { resource: audience }) };
}

async function discover(settings: SignInSettings): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(settings.issuer);
  return oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, optionsOf(settings)));
}
