import * as oauth from 'oauth4webapi';
import { basePath } from '../route.js';
import { type BegunSignIn, findBegun, keepBegun, type SignInReply } from './begun-sign-ins.js';
import type { KeptToken } from './kept-token.js';
import { addShared, type RenewableTokens, withShared } from './shared-sign-ins.js';
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
  const begun: BegunSignIn = {
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    codeVerifier: oauth.generateRandomCodeVerifier(),
    isRemembered,
    isInNewTab,
    returnTo: location.pathname + location.search,
    codes: [],
  };
  keepBegun(begun);
  if (findBegun(begun.state) === undefined)
    throw new Error('The browser keeps nothing for this page, which signing in needs.');
  const url = new URL(endpoint);
  const parameters = {
    client_id: settings.clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: settings.scope,
    state: begun.state,
    nonce: begun.nonce,
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
 * @throws {Error} when the person was not signed in
 */
export async function finishSignIn(
  settings: SignInSettings,
  { parameters: reply }: SignInReply,
  begun: BegunSignIn,
): Promise<SignedIn> {
  keepBegun({ ...begun, codes: [...begun.codes, ...reply.getAll('code')] });
  const client = clientOf(settings);
  const server = await retry(() => discover(settings));
  // Checks the state and the issuer (RFC 9207).
  const parameters = oauth.validateAuthResponse(server, client, reply, begun.state);
  const tokens = await retry(async () => {
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      parameters,
      redirectUri,
      begun.codeVerifier,
      { ...optionsOf(settings), additionalParameters: audienceOf(settings) },
    );
    return oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: begun.nonce,
      requireIdToken: true,
    });
  });
  const { access_token: token, refresh_token: refreshToken } = tokens;
  const expiresAt = expiryOf(tokens);
  const shared =
    refreshToken === undefined
      ? undefined
      : // Without it the person signs in again once the token has expired.
        await addShared({ token, refreshToken, expiresAt }, oauth.generateRandomState()).catch(
          () => undefined,
        );
  const { isRemembered, returnTo } = begun;
  const kept = { token, id: crypto.randomUUID(), signIn: { shared, expiresAt } };
  return { kept, isRemembered, returnTo, ...(begun.isInNewTab && { askedBy: begun.state }) };
}

/**
 * Returns a new token for a sign-in, or `undefined` when the person has to sign in again. One tab renews at a time, and the others
 * get the same token.
 *
 * @throws {Error} with the reason, when the identity provider does not issue a token now, but may later
 */
export async function renewSignIn(
  settings: SignInSettings,
  { token, id, signIn }: KeptToken,
): Promise<KeptToken | undefined> {
  const shared = signIn?.shared;
  if (shared === undefined) return undefined;
  return withShared(shared, async (tokens) => {
    const kept = await tokens.read();
    const isExpired = kept?.expiresAt !== undefined && kept.expiresAt <= Date.now();
    if (kept === undefined || (kept.token !== token && !isExpired)) return kept;
    const renewed = await refresh(settings, kept.refreshToken);
    if (renewed === undefined) await tokens.remove();
    // A refresh token that was used must not be left.
    else await tokens.replace(renewed).catch(tokens.remove);
    return renewed;
  }).then(
    (latest) => latest && { token: latest.token, id, signIn: { shared, expiresAt: latest.expiresAt } },
    (cause: unknown) => {
      throw new Error(explain(cause), { cause });
    },
  );
}

/** Returns new tokens; `undefined` when the provider has ended the sign-in. */
async function refresh(settings: SignInSettings, refreshToken: string): Promise<RenewableTokens | undefined> {
  const client = clientOf(settings);
  const server = await discover(settings);
  const options = optionsOf(settings);
  try {
    const response = await oauth.refreshTokenGrantRequest(
      server,
      client,
      oauth.None(),
      refreshToken,
      options,
    );
    const tokens = await oauth.processRefreshTokenResponse(server, client, response);
    return {
      token: tokens.access_token,
      // One that the provider does not replace stays valid (RFC 6749, section 6).
      refreshToken: tokens.refresh_token ?? refreshToken,
      expiresAt: expiryOf(tokens),
    };
  } catch (error) {
    if (error instanceof oauth.ResponseBodyError && error.error === 'invalid_grant') return undefined;
    throw error;
  }
}

/** Ends a sign-in: removes its tokens, and revokes the refresh token (RFC 7009), where the identity provider can. */
export async function endSignIn(settings: SignInSettings, { signIn }: KeptToken): Promise<void> {
  const shared = signIn?.shared;
  if (shared === undefined) return;
  const latest = await withShared(shared, async (tokens) => {
    const kept = await tokens.read();
    await tokens.remove();
    return kept;
  });
  const server = await discover(settings);
  if (latest === undefined || server.revocation_endpoint === undefined) return;
  const options = optionsOf(settings);
  await oauth.revocationRequest(server, clientOf(settings), oauth.None(), latest.refreshToken, options);
}

/** Returns why somebody was not signed in. */
export function explainSignIn(error: unknown): string {
  return error instanceof oauth.AuthorizationResponseError && error.error === 'access_denied'
    ? 'Sign-in failed: it was canceled, or you have no access to this store.'
    : `Sign-in failed: ${explain(error)}`;
}

function explain(error: unknown): string {
  if (isTransient(error)) {
    const status = statusOf(error);
    return status === undefined
      ? 'This page cannot reach the identity provider, or the provider blocks it.'
      : `The identity provider returned status ${status}.`;
  }
  if (error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError)
    return `${error.error_description ?? error.error}.`;
  if (error instanceof oauth.OperationProcessingError && error.code === oauth.JWT_TIMESTAMP_CHECK)
    return `This device has the wrong time: ${new Date().toLocaleString()}. Correct it, then sign in again.`;
  return error instanceof Error ? error.message : String(error);
}

/** Whether the same request may succeed later. */
function isTransient(error: unknown): boolean {
  const status = statusOf(error);
  if (status !== undefined) return status === 429 || status >= 500;
  return error instanceof TypeError || (error instanceof DOMException && error.name === 'TimeoutError');
}

function statusOf(error: unknown): number | undefined {
  if (error instanceof oauth.ResponseBodyError) return error.status;
  const { cause } = Object(error);
  return cause instanceof Response ? cause.status : undefined;
}

/** Runs a task again, for 15 seconds, while it fails for reasons that pass. */
async function retry<Result>(task: () => Promise<Result>): Promise<Result> {
  for (let delayMs = 1_000; delayMs <= 8_000; delayMs *= 2) {
    try {
      return await task();
    } catch (error) {
      if (!isTransient(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, delayMs));
    }
  }
  return task();
}

/** When a token expires by the clock of this device, whatever the provider's clock shows. */
function expiryOf({
  expires_in: seconds,
}: Pick<oauth.TokenEndpointResponse, 'expires_in'>): number | undefined {
  // A provider that issues expired tokens is not to be asked without end.
  return seconds === undefined ? undefined : Date.now() + Math.max(1, seconds) * 1_000;
}

/** Where the identity provider sends people back to: the page itself. */
const redirectUri = location.origin + basePath;

/**
 * The ID token comes from the provider over TLS, for a nonce that was just made, and shows only that the right person was signed in.
 * The clock of the device has no say in that: the service checks the access token by its own.
 */
const clientOf = ({ clientId }: SignInSettings): oauth.Client => ({
  client_id: clientId,
  [oauth.clockTolerance]: 365 * 86_400,
});

/** The service accepts an issuer without TLS only on this machine. */
const optionsOf = ({ issuer }: SignInSettings) => ({
  signal: AbortSignal.timeout(30_000),
  [oauth.allowInsecureRequests]: issuer.startsWith('http:'),
});

/** For whom the token is: by its standard name (RFC 8707) where it can be, and by that of providers before that. */
function audienceOf({ audience }: SignInSettings): Record<string, string> {
  return { audience, ...(/^https?:/.test(audience) && { resource: audience }) };
}

let discovered: oauth.AuthorizationServer | undefined;

/** Asks the provider where its endpoints are, once for the open page. */
async function discover(settings: SignInSettings): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(settings.issuer);
  discovered ??= await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, optionsOf(settings)),
  );
  return discovered;
}
