import type { Request } from 'express';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { AuthenticationLimit, LimitedVerification } from '../../auth/limit/authentication-limit.js';
import { ServiceError } from '../../errors/service-error.js';
import { countLimitedRequests } from '../../metrics/count-limited-requests.js';
import { readClientAddress } from '../client-address.js';
import type { VerifyFurther } from './bearer-auth.js';

/** What the limit depends on. */
export interface AuthenticationLimitDependencies {
  readonly authenticationLimit: AuthenticationLimit;
  readonly log: Logger;
  readonly metrics?: Registry | undefined;
  /** Aborted once the service begins to stop: what was counted is then logged. */
  readonly stopping: AbortSignal;
}

/**
 * Limits failed authentications by client address; decision 23 has the rule. The address is read only of requests whose
 * token is not known to be valid.
 */
export function limitAuthentication(dependencies: AuthenticationLimitDependencies): VerifyFurther {
  const { authenticationLimit: limit, log, metrics, stopping } = dependencies;
  stopping.addEventListener('abort', limit.clear);
  const countRequest = metrics === undefined ? () => {} : countLimitedRequests(metrics);

  return function verifyWithinLimit(request, text, cached) {
    const resolve = (verification: LimitedVerification) => {
      if (verification.status !== 'limited') return verification;
      countRequest();
      if (verification.isFirst) warnOfProxy(log, request);
      throw rateLimited(verification.retryAfterSeconds);
    };
    const verification = limit.verify(readClientAddress(request), text, cached);
    return verification instanceof Promise ? verification.then(resolve) : resolve(verification);
  };
}

function rateLimited(retryAfterSeconds: number): ServiceError {
  return new ServiceError(
    'rate_limited',
    `Too many requests from this address had no valid access token. Check the token, and try again in ${retryAfterSeconds} s.`,
    { retryAfterSeconds },
  );
}

/** Warns of a request that is limited by the address of what may be a proxy, or a client that has made the header up. */
function warnOfProxy(log: Logger, request: Request): void {
  if (request.headers['x-forwarded-for'] === undefined || request.ips.length > 0) return;
  log.warn(
    { proxyAddress: request.socket.remoteAddress },
    'X-Forwarded-For of an address that is not in TRUSTED_PROXIES is ignored',
  );
}
