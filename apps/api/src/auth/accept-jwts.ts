import { accessTokenPrefix, scopes as allScopes, type Scope } from '@plant-store/contract/access-token';
import { ServiceError } from '@plant-store/records';
import { decodeJwt, decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from 'jose';
import { claimValues, isAccessToken, readClaim } from './identity-providers.js';
import type { JwtSettings } from './jwt-settings.js';
import { createProviderKeys, type JwtLog, type ProviderKeys } from './provider-keys.js';
import { cacheLookUps, type JwtRejection, type TokenService, type Verification } from './token-service.js';

/** The maximum token length, in characters. */
const maxLength = 8_192;

/** Matches a JWS in compact form (RFC 7515, section 3.1). The signature of an unsecured JWS is empty. */
const shape = /^[\w-]+\.[\w-]+\.[\w-]*$/;

type CheckedJwt = VerifiedJwt | { readonly status: JwtRejection };

/**
 * Accepts an identity provider's JSON Web Tokens in addition to this service's access tokens, which are recognized by their prefix. Results
 * are cached for the same time as for access tokens.
 */
export function acceptJwts(
  accessTokens: TokenService,
  settings: JwtSettings,
  log: JwtLog,
  now: () => number = Date.now,
): TokenService & { close(): void } {
  const keys = createProviderKeys(settings, log);
  const jwts = cacheLookUps<CheckedJwt>({
    isWellFormed: (text) => text.length <= maxLength && shape.test(text),
    malformed: { status: 'malformed_jwt' },
    lookUp: (text) =>
      verifyJwt(text, settings, keys, now()).catch((error: unknown) => {
        // Rejections are cached, too, unless fetching the keys again could change them.
        const isFinal = error instanceof JwtRejectedError && !/^(unknown|unusable)_key$/.test(error.status);
        if (isFinal) return { status: error.status };
        throw error;
      }),
    toVerification,
  });
  let unusableKeyLoggedAt = -Infinity;

  function rejectForKey(error: unknown): Verification {
    if (!(error instanceof JwtRejectedError)) throw error;
    // Logged at most once per refresh interval.
    const at = performance.now();
    if (error.status === 'unusable_key' && at - unusableKeyLoggedAt >= settings.keyTimes.refreshMs) {
      unusableKeyLoggedAt = at;
      log.warn({ err: error.cause }, 'an identity provider key cannot be used');
    }
    return toVerification(error);
  }

  function toVerification(checked: CheckedJwt): Verification {
    if (!('status' in checked)) {
      return checked.acceptedUntil > now() ? { status: 'valid', ...checked } : { status: 'expired' };
    }
    const { status } = checked;
    return status === 'insufficient_scope' ? { status, scope: settings.requiredScope ?? '' } : { status };
  }

  const verifierOf = (text: string) => (text.startsWith(accessTokenPrefix) ? accessTokens : jwts);
  return {
    ...accessTokens,
    verifyCached: (text) => verifierOf(text).verifyCached(text),
    verify(text) {
      const verification = verifierOf(text).verify(text);
      return verification instanceof Promise ? verification.catch(rejectForKey) : verification;
    },
    /** Stops fetching the identity provider's keys. */
    close: keys.close,
  };
}

export interface VerifiedJwt {
  /** The token's subject, usually from the claim `sub`; 1 to 255 printable characters. */
  readonly subject: string;
  readonly scopes: readonly Scope[];
  /** When the token is no longer accepted, in milliseconds since the epoch. Includes the clock tolerance. */
  readonly acceptedUntil: number;
}

export class JwtRejectedError extends Error {
  override readonly name = 'JwtRejectedError';
  readonly status: JwtRejection;

  constructor(status: JwtRejection, options?: ErrorOptions) {
    super(`The token was rejected: ${status}`, options);
    this.status = status;
  }
}

/**
 * Verifies a JSON Web Token in compact form (RFC 7519; RFC 9068 for access tokens, RFC 8725 for what to check).
 *
 * @throws {JwtRejectedError} if the token is not valid
 * @throws {ServiceError} `identity_provider_unavailable` if the token's key cannot be fetched
 */
export async function verifyJwt(
  text: string,
  settings: JwtSettings,
  keys: Pick<ProviderKeys, 'find'>,
  now: number,
): Promise<VerifiedJwt> {
  try {
    rejectForeign(text, settings);
    const { payload } = await jwtVerify(text, keys.find, {
      issuer: settings.issuer,
      algorithms: [...settings.algorithms],
      requiredClaims: ['exp'],
      clockTolerance: settings.clockToleranceSeconds,
      currentDate: new Date(now),
    });
    return readClaims(payload, settings, now);
  } catch (error) {
    if (error instanceof JwtRejectedError || error instanceof ServiceError) throw error;
    throw new JwtRejectedError(toRejection(error), { cause: error });
  }
}

/**
 * Rejects a token that is certainly not for this service before its key is looked up. Such a token costs no signature check, and causes no
 * key fetch.
 */
function rejectForeign(text: string, { algorithms, types, issuer }: JwtSettings): void {
  const { alg, typ = 'JWT', crit } = decodeHeader(text);
  if (typeof alg !== 'string' || typeof typ !== 'string') throw new JwtRejectedError('malformed_jwt');
  if (!algorithms.includes(alg)) throw new JwtRejectedError('algorithm_not_allowed');
  // The type is a media type: its case does not matter, and its first part is optional (RFC 7515, section 4.1.9).
  const type = typ.toLowerCase().replace(/^application\//, '');
  if (!types.some((accepted) => accepted.toLowerCase() === type)) throw new JwtRejectedError('wrong_type');
  const { iss } = decodeJwt(text);
  if (iss === undefined) throw new JwtRejectedError('missing_claim');
  if (iss !== issuer) throw new JwtRejectedError('wrong_issuer');
  // No extension is supported (RFC 7515, section 4.1.11). jose would accept b64 (RFC 7797).
  if (crit !== undefined) throw new JwtRejectedError('unsupported_extension');
}

function decodeHeader(text: string): ReturnType<typeof decodeProtectedHeader> {
  try {
    return decodeProtectedHeader(text);
  } catch (cause) {
    throw new JwtRejectedError('malformed_jwt', { cause });
  }
}

/** At most 255 characters (OpenID Connect Core, section 2), none of which can change how a log line is shown. */
const subjectShape = /^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]{1,255}$/u;

function readClaims(
  payload: JWTPayload,
  { clockToleranceSeconds, requiredScope, profile, ...settings }: JwtSettings,
  now: number,
): VerifiedJwt {
  if (!isAccessToken(payload, profile)) throw new JwtRejectedError('wrong_type');
  const audience = readClaim(payload, profile.audienceClaims);
  if (audience === undefined) throw new JwtRejectedError('missing_claim');
  if (![audience].flat().some((value) => settings.audiences.some((accepted) => accepted === value)))
    throw new JwtRejectedError('wrong_audience');
  const { exp, nbf, iat } = payload;
  const subject = readClaim(payload, profile.subjectClaims);
  if (typeof subject !== 'string' || !subjectShape.test(subject) || exp === undefined)
    throw new JwtRejectedError('missing_claim');
  if (![exp, nbf, iat].every(isTime)) throw new JwtRejectedError('missing_claim');
  if (iat !== undefined && iat > now / 1_000 + clockToleranceSeconds)
    throw new JwtRejectedError('not_yet_valid');
  const claimedScopes = claimValues(readClaim(payload, profile.scopeClaims));
  if (requiredScope !== undefined && !claimedScopes.includes(requiredScope))
    throw new JwtRejectedError('insufficient_scope');
  const { scopes: scopeNames, formerUpdate } = settings;
  const permits = (scope: Scope) =>
    claimedScopes.includes(scopeNames[scope]) ||
    (scope === 'update' && formerUpdate !== undefined && claimedScopes.includes(formerUpdate));
  const scopes = allScopes.filter(permits);
  return {
    subject,
    scopes: scopes.length > 0 ? scopes : settings.withoutScopes,
    acceptedUntil: (exp + clockToleranceSeconds) * 1_000,
  };
}

/** Whether a time is absent, or a number that is exact to the second. A time such as 1e400 is parsed as infinite. */
function isTime(time: number | undefined): boolean {
  return time === undefined || Math.abs(time) <= Number.MAX_SAFE_INTEGER;
}

/** Returns the rejection for an error code of jose. Does not use its messages, because they quote the token. */
function toRejection(error: unknown): JwtRejection {
  if (error instanceof errors.JWTClaimValidationFailed && error.reason === 'check_failed')
    return failedChecks[error.claim] ?? 'missing_claim';
  const code = error instanceof errors.JOSEError ? error.code : '';
  return rejections[code] ?? 'unusable_key';
}

const failedChecks: Readonly<Record<string, JwtRejection>> = {
  iss: 'wrong_issuer',
  nbf: 'not_yet_valid',
};

const rejections: Readonly<Record<string, JwtRejection>> = {
  [errors.JWSInvalid.code]: 'malformed_jwt',
  [errors.JWTInvalid.code]: 'malformed_jwt',
  [errors.JOSENotSupported.code]: 'unsupported_extension',
  [errors.JOSEAlgNotAllowed.code]: 'algorithm_not_allowed',
  [errors.JWKSNoMatchingKey.code]: 'unknown_key',
  [errors.JWKSMultipleMatchingKeys.code]: 'unknown_key',
  [errors.JWSSignatureVerificationFailed.code]: 'bad_signature',
  [errors.JWTClaimValidationFailed.code]: 'missing_claim',
  [errors.JWTExpired.code]: 'expired',
};
