import { accessTokenPrefix, scopes as allScopes, type Scope } from '@plant-store/contract/access-token';
import { ServiceError } from '@plant-store/records';
import { decodeJwt, decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from 'jose';
import { claimValues, isAccessToken, readClaim } from './identity-providers.js';
import type { JwtSettings } from './jwt-settings.js';
import { createProviderKeys, type JwtLog, type ProviderKeys } from './provider-keys.js';
import { cacheLookUps, type JwtRejection, type TokenService, type Verification } from './token-service.js';

/** The maximum length of a token, in characters. */
const maxLength = 8_192;

/** A JWS in the compact form (RFC 7515, section 3.1); an unsecured one has no signature. */
const shape = /^[\w-]+\.[\w-]+\.[\w-]*$/;

type CheckedJwt = VerifiedJwt | { readonly status: JwtRejection };

/**
 * Accepts the JSON Web Tokens of an identity provider in addition to the access tokens of this service, which are recognized by their
 * prefix. Results are cached for the same time as for access tokens.
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
        // Rejections are cached, too, unless the next fetch of keys may change them.
        const isFinal = error instanceof JwtRejectedError && !/^(unknown|unusable)_key$/.test(error.status);
        if (isFinal) return { status: error.status };
        throw error;
      }),
    toVerification,
  });
  let unusableKeyLoggedAt = -Infinity;

  function rejectForKey(error: unknown): Verification {
    if (!(error instanceof JwtRejectedError)) throw error;
    // About once per fetch of keys.
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
    /** Stops fetching the keys of the identity provider. */
    close: keys.close,
  };
}

export interface VerifiedJwt {
  /** The subject by the identity provider's name, usually the claim `sub`; 1 to 255 printable characters. */
  readonly subject: string;
  readonly scopes: readonly Scope[];
  /** When it is no longer accepted, the clock tolerance included, in milliseconds since the epoch. */
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
 * Verifies a JSON Web Token in the compact form (RFC 7519; RFC 9068 for access tokens, RFC 8725 for what to check).
 *
 * @throws {JwtRejectedError} when it is not valid
 * @throws {ServiceError} `identity_provider_unavailable` when its key cannot be fetched
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
 * Rejects a token that is certainly not for this service before looking for its key, so that it costs no signature check, and does not
 * cause a fetch of keys.
 */
function rejectForeign(text: string, { algorithms, types, issuer }: JwtSettings): void {
  const { alg, typ = 'JWT', crit } = decodeHeader(text);
  if (typeof alg !== 'string' || typeof typ !== 'string') throw new JwtRejectedError('malformed_jwt');
  if (!algorithms.includes(alg)) throw new JwtRejectedError('algorithm_not_allowed');
  // A media type, so in any case, and with or without its first part (RFC 7515, section 4.1.9).
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

/** The limit of OpenID Connect Core, section 2, and no character that could change how a line of the log is shown. */
const subjectShape = /^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]{1,255}$/u;

function readClaims(
  payload: JWTPayload,
  { clockToleranceSeconds, requiredScope, profile, ...settings }: JwtSettings,
  now: number,
): VerifiedJwt {
  if (!isAccessToken(payload, profile)) throw new JwtRejectedError('wrong_type');
  const audience = readClaim(payload, profile.audienceClaims);
  if (audience === undefined) throw new JwtRejectedError('missing_claim');
  if (![audience].flat().some((one) => settings.audiences.some((accepted) => accepted === one)))
    throw new JwtRejectedError('wrong_audience');
  const { exp, nbf, iat } = payload;
  const subject = readClaim(payload, profile.subjectClaims);
  if (typeof subject !== 'string' || !subjectShape.test(subject) || exp === undefined)
    throw new JwtRejectedError('missing_claim');
  if (![exp, nbf, iat].every(isTime)) throw new JwtRejectedError('missing_claim');
  if (iat !== undefined && iat > now / 1_000 + clockToleranceSeconds)
    throw new JwtRejectedError('not_yet_valid');
  const named = claimValues(readClaim(payload, profile.scopeClaims));
  if (requiredScope !== undefined && !named.includes(requiredScope))
    throw new JwtRejectedError('insufficient_scope');
  const { scopes: scopeNames, formerUpdate } = settings;
  const permits = (scope: Scope) =>
    named.includes(scopeNames[scope]) ||
    (scope === 'update' && formerUpdate !== undefined && named.includes(formerUpdate));
  const scopes = allScopes.filter(permits);
  return {
    subject,
    scopes: scopes.length > 0 ? scopes : settings.withoutScopes,
    acceptedUntil: (exp + clockToleranceSeconds) * 1_000,
  };
}

/** Whether a time is absent, or a number that is exact to the second; 1e400 is parsed as infinite. */
function isTime(time: number | undefined): boolean {
  return time === undefined || Math.abs(time) <= Number.MAX_SAFE_INTEGER;
}

/** By jose's error codes, because its messages quote the token. */
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
