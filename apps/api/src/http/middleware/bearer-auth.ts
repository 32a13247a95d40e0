import type { Scope } from '@plant-store/contract/access-token';
import { messages } from '@plant-store/contract/messages';
import { insufficientScope, readBearer, type ServiceError, unauthorized } from '@plant-store/records';
import type { Request, RequestHandler } from 'express';
import { type TokenVerifier, tokenRejections, type Verification } from '../../auth/token-service.js';
import type { ActiveCallers, Caller } from '../../runtime/callers.js';

/**
 * Verifies a token that is not known to be valid. `cached` is the token's result from `verifyCached`.
 *
 * @throws {ServiceError} when the client must wait before it can try another token
 */
export type VerifyUncached = (
  request: Request,
  text: string,
  cached: Verification | undefined,
) => Verification | Promise<Verification>;

/** Requires a valid access token as `Authorization: Bearer` (RFC 6750, section 2.1). */
export function bearerAuth(
  accessTokens: Pick<TokenVerifier, 'verifyCached'>,
  verifyUncached: VerifyUncached,
  callers: Pick<ActiveCallers, 'note'>,
): RequestHandler {
  return function bearerAuth(request, response, next) {
    const admit = (verification: Verification) => {
      if (verification.status !== 'valid') throw rejection(verification);
      if (verification.token) response.locals.accessToken = verification.token;
      else {
        response.locals.subject = verification.subject;
        response.locals.acceptedUntil = verification.acceptedUntil;
      }
      response.locals.scopes = (verification.token ?? verification).scopes;
      callers.note(callerOf(response.locals));
      next();
    };

    const text = readBearer(request.headers.authorization);
    if (text === undefined) {
      throw unauthorized('missing_token', messages.missingToken);
    }
    const cached = accessTokens.verifyCached(text);
    const verification = cached?.status === 'valid' ? cached : verifyUncached(request, text, cached);
    // Continues synchronously if possible, because a body that arrives before its reader must be buffered, which costs more.
    return verification instanceof Promise ? verification.then(admit) : admit(verification);
  };
}

/**
 * How often the token of a waiting request is verified again, in milliseconds. Revocations by other processes take effect within 3 seconds.
 */
const recheckMs = 500;

/**
 * Verifies a waiting request's token repeatedly, and when the token expires.
 *
 * @param onInvalid called once, with the error that a new request would get
 * @returns a function that stops the checks
 */
export function watchToken(
  { verify }: Pick<TokenVerifier, 'verify'>,
  request: Pick<Request, 'headers'>,
  { accessToken, acceptedUntil }: Express.Locals,
  onInvalid: (error: unknown) => void,
): () => void {
  const text = readBearer(request.headers.authorization) ?? '';
  const expiresAt = accessToken?.expiresAt?.getTime() ?? acceptedUntil ?? Number.POSITIVE_INFINITY;
  let timer: NodeJS.Timeout;
  let isWatched = true;
  const scheduleRecheck = () => {
    if (isWatched) timer = setTimeout(recheck, Math.max(1, Math.min(recheckMs, expiresAt - Date.now())));
  };
  async function recheck(): Promise<void> {
    try {
      const verification = await verify(text);
      if (verification.status !== 'valid') throw rejection(verification);
      scheduleRecheck();
    } catch (error) {
      onInvalid(error);
    }
  }
  scheduleRecheck();
  return () => {
    isWatched = false;
    clearTimeout(timer);
  };
}

/** Returns the error for a token that is invalid or has insufficient scope (RFC 6750, section 3.1). */
function rejection(verification: Exclude<Verification, { status: 'valid' }>): ServiceError {
  return verification.status === 'insufficient_scope'
    ? insufficientScope(verification.scope)
    : unauthorized('invalid_token', tokenRejections[verification.status]);
}

/** Requires that the token has a scope, which the identity provider calls `jwtScope`. Must run after authentication. */
export function requireScope(scope: Scope, jwtScope: string | undefined): RequestHandler {
  return function requireScope(_request, { locals: { scopes, subject } }, next) {
    if (scopes?.includes(scope)) return next();
    throw insufficientScope(subject === undefined ? scope : (jwtScope ?? scope));
  };
}

/**
 * Returns a unique identifier of the caller, for limits: the access token's ID, or the JSON Web Token's subject, so that new tokens for the
 * same subject share one limit.
 */
export function callerOf({ accessToken, subject }: Express.Locals): Caller {
  return accessToken?.id ?? `subject ${subject}`;
}
