import { isIP } from 'node:net';
import { Counter, type Registry } from '@prometheus-io/client';
import type { Request } from 'express';
import ipaddr from 'ipaddr.js';
import type { Logger } from 'pino';
import type { AuthenticationLimit, LimitedVerification } from '../../auth/authentication-limit.js';
import { ServiceError } from '../../errors/service-error.js';
import type { VerifyUncached } from './bearer-auth.js';

/** What the limit depends on. */
interface AuthenticationLimitDependencies {
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
export function limitAuthentication(dependencies: AuthenticationLimitDependencies): VerifyUncached {
  const { authenticationLimit: limit, log, metrics, stopping } = dependencies;
  stopping.addEventListener('abort', limit.clear);
  const limitedRequests = metrics && createCounter(metrics);

  return function verifyWithinLimit(request, text, cached) {
    const resolve = (verification: LimitedVerification) => {
      if (verification.status !== 'limited') return verification;
      limitedRequests?.inc();
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

/**
 * Reads the address of the client of a request: that of the connection, or if that is a trusted proxy, the last address
 * in `X-Forwarded-For` that is none, with or without a port. Where this is no valid address, that of the proxy counts that
 * has sent it.
 *
 * @returns an IPv4 address, or the /64 network of an IPv6 address, which usually is one household or machine
 */
export function readClientAddress(request: Request): string {
  const candidates = [...request.ips, request.socket.remoteAddress ?? ''];
  const address = candidates.map(toNetwork).find((network) => network !== undefined);
  // A client that has disconnected has none.
  return address ?? 'unknown';
}

function toNetwork(address: string): string | undefined {
  // Some proxies report 192.0.2.1:4711 and [2001:db8::7]:4711.
  const [, ipv6, ipv4] = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d{1,5})?$/.exec(address) ?? [];
  // Without the zone of a link-local address.
  const [plain = ''] = (ipv6 ?? ipv4 ?? address).split('%', 1);
  // ipaddr.js alone would take 1 and 0x7f.1 for addresses, and it rejects some that are outdated, such as ::192.0.2.1.
  if (isIP(plain) === 0 || !ipaddr.isValid(plain)) return undefined;
  // ::ffff:192.0.2.1 is 192.0.2.1.
  const parsed = ipaddr.process(plain);
  if ('octets' in parsed) return parsed.toString();
  const network = new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]);
  return `${network.toString()}/64`;
}

/** Counts the requests that are rejected for failed authentications of their address. */
function createCounter(registry: Registry): Counter {
  return new Counter({
    name: 'plant_store_authentication_limited_total',
    help: 'Requests rejected with rate_limited, since their client address had too many failed authentications',
    registers: [registry],
  });
}
