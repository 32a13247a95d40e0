import * as oauth from 'oauth4webapi';
import { basePath } from '../route.js';
import { isPending, type PendingSignIn, type SignInReply, savePendingSignIn } from './pending-sign-ins.js';
import { addShared, type RenewableTokens, withShared } from './shared-sign-ins.js';
import type { SignInSettings } from './sign-in-settings.js';
import type { StoredToken } from './stored-token.js';

/** The result of a sign-in. */
export interface SignedIn {
  readonly stored: StoredToken;
  /** Whether to keep the token on the device. */
  readonly isRemembered: boolean;
  /** The address to return to after the sign-in, without its origin. */
  readonly returnTo: string;
  /** The `state` of the sign-in, if another tab requested it. */
  readonly openerState?: string | undefined;
}

/**
 * Redirects to the identity provider (OpenID Connect Core, section 3.1, with PKCE, RFC 7636).
 *
 * @param isInNewTab whether to use a new tab, because this one has unsaved work
 * @throws {Error} if the provider cannot be reached, or the browser blocks the storage or the new tab
 */
export async function beginSignIn(
  settings: SignInSettings,
  { isRemembered, isInNewTab }: { readonly isRemembered: boolean; readonly isInNewTab: boolean },
): Promise<void> {
  const { authorization_endpoint: endpoint = '' } = await discover(settings);
  const pending: PendingSignIn = {
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    codeVerifier: oauth.generateRandomCodeVerifier(),
    isRemembered,
    isInNewTab,
    returnTo: location.pathname + location.search,
  };
  savePendingSignIn(pending);
  if (!isPending(pending.state))
    throw new Error('Your browser blocks storage for this page. Allow it, and try again.');
  const url = new URL(endpoint);
  const parameters = {
    client_id: settings.clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: settings.scope,
    state: pending.state,
    nonce: pending.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(pending.codeVerifier),
    code_challenge_method: 'S256',
    // Required to get a refresh token (OpenID Connect Core, section 11).
    ...(settings.scope.split(' ').includes('offline_access') && { prompt: 'consent' }),
    ...audienceOf(settings),
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  if (!isInNewTab) location.assign(url);
  else if (window.open(url) === null)
    throw new Error('Your browser blocked the sign-in tab. Allow pop-ups for this page, and try again.');
}

/**
 * Exchanges the identity provider's reply for a token.
 *
 * @throws {Error} if the sign-in failed
 */
export async function finishSignIn(
  settings: SignInSettings,
  { parameters: reply }: SignInReply,
  pending: PendingSignIn,
): Promise<SignedIn> {
  const client = clientOf(settings);
  const server = await retry(() => discover(settings));
  // Checks the state and the issuer (RFC 9207).
  const parameters = oauth.validateAuthResponse(server, client, reply, pending.state);
  const tokens = await retry(async () => {
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      parameters,
      redirectUri,
      pending.codeVerifier,
      { ...optionsOf(settings), additionalParameters: audienceOf(settings) },
    );
    return oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: pending.nonce,
      requireIdToken: true,
    });
  });
  const { access_token: token, refresh_token: refreshToken } = tokens;
  const expiresAt = expiryOf(tokens);
  const shared =
    refreshToken === undefined
      ? undefined
      : // If this fails, the person must sign in again when the token expires.
        await addShared({ token, refreshToken, expiresAt }, oauth.generateRandomState()).catch(
          () => undefined,
        );
  const { isRemembered, returnTo } = pending;
  const stored = { token, id: crypto.randomUUID(), signIn: { shared, expiresAt } };
  return { stored, isRemembered, returnTo, ...(pending.isInNewTab && { openerState: pending.state }) };
}

/**
 * Returns a new token for a sign-in, or `undefined` if the person must sign in again. One tab renews at a time, and the others get the
 * same token.
 *
 * @throws {Error} with the reason, if the identity provider cannot issue a token now, but might later
 */
export async function renewSignIn(
  settings: SignInSettings,
  { token, id, signIn }: StoredToken,
): Promise<StoredToken | undefined> {
  const shared = signIn?.shared;
  if (shared === undefined) return undefined;
  return withShared(shared, async (tokens) => {
    const stored = await tokens.read();
    const isExpired = stored?.expiresAt !== undefined && stored.expiresAt <= Date.now();
    if (stored === undefined || (stored.token !== token && !isExpired)) return stored;
    const renewed = await refresh(settings, stored.refreshToken);
    if (renewed === undefined) await tokens.remove();
    // A used refresh token must not stay in the storage.
    else await tokens.replace(renewed).catch(tokens.remove);
    return renewed;
  }).then(
    (latest) => latest && { token: latest.token, id, signIn: { shared, expiresAt: latest.expiresAt } },
    (cause: unknown) => {
      throw new Error(explain(cause), { cause });
    },
  );
}

/** Returns new tokens; `undefined` if the provider ended the sign-in. */
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
      // If the provider does not send a new refresh token, the old one stays valid (RFC 6749, section 6).
      refreshToken: tokens.refresh_token ?? refreshToken,
      expiresAt: expiryOf(tokens),
    };
  } catch (error) {
    if (error instanceof oauth.ResponseBodyError && error.error === 'invalid_grant') return undefined;
    throw error;
  }
}

/** Ends a sign-in: removes its tokens, and revokes the refresh token (RFC 7009) if the identity provider supports that. */
export async function endSignIn(settings: SignInSettings, { signIn }: StoredToken): Promise<void> {
  const shared = signIn?.shared;
  if (shared === undefined) return;
  const latest = await withShared(shared, async (tokens) => {
    const stored = await tokens.read();
    await tokens.remove();
    return stored;
  });
  const server = await discover(settings);
  if (latest === undefined || server.revocation_endpoint === undefined) return;
  const options = optionsOf(settings);
  await oauth.revocationRequest(server, clientOf(settings), oauth.None(), latest.refreshToken, options);
}

/** Explains why a sign-in failed. */
export function explainSignIn(error: unknown): string {
  return error instanceof oauth.AuthorizationResponseError && error.error === 'access_denied'
    ? 'Sign-in failed: it was canceled, or you have no access to this store.'
    : `Sign-in failed: ${explain(error)}`;
}

function explain(error: unknown): string {
  if (isTransient(error)) {
    const status = statusOf(error);
    return status === undefined
      ? 'The identity provider is unreachable or is blocking this page.'
      : `The identity provider returned status ${status}.`;
  }
  if (error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError)
    return `${error.error_description ?? error.error}.`;
  if (error instanceof oauth.OperationProcessingError && error.code === oauth.JWT_TIMESTAMP_CHECK)
    return `The clock on this device is wrong: ${new Date().toLocaleString()}. Correct it, then sign in again.`;
  return error instanceof Error ? error.message : String(error);
}

/** Whether the same request can succeed later. */
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

/** Retries a task for 15 seconds while it fails with temporary errors. */
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

/** Returns when a token expires by this device's clock, in milliseconds since the epoch. */
function expiryOf({
  expires_in: seconds,
}: Pick<oauth.TokenEndpointResponse, 'expires_in'>): number | undefined {
  // Prevents an endless loop with a provider that issues expired tokens.
  return seconds === undefined ? undefined : Date.now() + Math.max(1, seconds) * 1_000;
}

/** The redirect URI: the page itself. */
const redirectUri = location.origin + basePath;

/** The tolerated error of the device's clock, in seconds: a year. */
const clockToleranceSeconds = 365 * 86_400;

/**
 * Ignores the device's clock when it checks the ID token. The ID token comes from the provider over TLS and has a fresh nonce, so it cannot
 * be an old one. The service checks the access token with its own clock.
 */
const clientOf = ({ clientId }: SignInSettings): oauth.Client => ({
  client_id: clientId,
  [oauth.clockTolerance]: clockToleranceSeconds,
});

/** The timeout of a request to the provider. */
const requestTimeoutMs = 30_000;

/** Returns request options. They permit an issuer without TLS, because the service accepts one only on this machine. */
const optionsOf = ({ issuer }: SignInSettings) => ({
  signal: AbortSignal.timeout(requestTimeoutMs),
  [oauth.allowInsecureRequests]: issuer.startsWith('http:'),
});

/** Returns the token's audience as parameters: `audience`, which some providers use, and `resource` (RFC 8707), which must be a URI. */
function audienceOf({ audience }: SignInSettings): Record<string, string> {
  return { audience, ...(/^https?:/.test(audience) && { resource: audience }) };
}

let discovered: oauth.AuthorizationServer | undefined;

/** Reads the provider's endpoints, once per page load. */
async function discover(settings: SignInSettings): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(settings.issuer);
  discovered ??= await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, optionsOf(settings)),
  );
  return discovered;
}
