import { isIP } from 'node:net';
import { accessTokenPrefix } from '@plant-store/contract/access-token';
import { ServiceError } from '@plant-store/records';
import { Counter, type Registry } from '@prometheus-io/client';
import type { Request } from 'express';
import ipaddr from 'ipaddr.js';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import { hashAccessToken, type TokenVerifier, type Verification } from '../../auth/token-service.js';
import type { VerifyUncached } from './bearer-auth.js';

/** How long an address's failures count, in milliseconds. */
const windowMs = 60_000;

/** The time between two token look-ups for an address that has reached the limit, in milliseconds. */
const limitedLookUpMs = 1_000;

/** The maximum number of entries in each cache. A full cache evicts the least recently used entry. */
export const maxRemembered = 10_000;

export interface LimitDependencies {
  readonly accessTokens: TokenVerifier;
  /** How many authentications may fail per minute and address. 0 means no limit. */
  readonly authFailuresPerMinute: number;
  readonly log: Pick<Logger, 'warn'>;
  readonly metrics?: Registry | undefined;
  /** Aborted when the service begins to stop. The middleware then logs its counts of rejected requests. */
  readonly stopping: AbortSignal;
}

/** Limits failed authentications per client address, as docs/decisions/0023-failed-authentications.md describes. */
export function limitAuthentication(dependencies: LimitDependencies): VerifyUncached {
  const { accessTokens, authFailuresPerMinute, log, metrics, stopping } = dependencies;
  const name = 'plant_store_authentication_limited_total';
  const help =
    'Requests rejected with rate_limited because their client address had too many failed authentications';
  const limitedRequests = metrics && new Counter({ name, help, registers: [metrics] });
  if (authFailuresPerMinute === 0) return (_request, text, cached) => cached ?? accessTokens.verify(text);

  // A nonzero `ttlResolution` would start a timer to avoid reading the clock.
  const forAMinute = { max: maxRemembered, ttl: windowMs, perf: performance, ttlResolution: 0 };
  /** For each address with failures, counts the failures and the requests rejected because of the limit. */
  const addressCounts = new LRUCache<string, { failures: number; rejected: number }>({
    ...forAMinute,
    ttlAutopurge: true,
    dispose({ rejected }, clientAddress) {
      if (rejected > 0) log.warn({ clientAddress, rejected }, 'authentication limit ended');
    },
  });
  stopping.addEventListener('abort', () => addressCounts.clear());
  // The keys are hashes, so that the caches keep no tokens in memory.
  const validTokens = new LRUCache<string, true>({ max: maxRemembered });
  /** For each token hash, counts how often a limited address's queue chose another token. Infinite for a token known to be invalid. */
  const timesSkipped = new LRUCache<string, number>(forAMinute);
  /** Each address has a queue per kind of token, so that a slow identity provider does not delay access tokens. */
  const lookUpQueues = new LRUCache<string, LookUpQueue>({ max: maxRemembered });

  const failuresLeft = (address: string) =>
    authFailuresPerMinute - (addressCounts.get(address)?.failures ?? 0);

  function countFailure(address: string): void {
    const counts = addressCounts.get(address) ?? { failures: 0, rejected: 0 };
    if (counts.failures++ === 0) addressCounts.set(address, counts);
  }

  function rateLimited(request: Request, address: string, retryAfterSeconds?: number): ServiceError {
    const counts = addressCounts.get(address);
    const secondsLeft = Math.max(1, Math.ceil(addressCounts.getRemainingTTL(address) / 1_000));
    if (counts !== undefined && counts.rejected++ === 0) {
      log.warn({ clientAddress: address, seconds: secondsLeft }, 'authentication limited');
      // This may be the address of a proxy that is missing from TRUSTED_PROXIES, unless the client forged the header.
      if (request.headers['x-forwarded-for'] !== undefined && request.ips.length === 0) {
        const warning = 'X-Forwarded-For is ignored because its sender is not in TRUSTED_PROXIES';
        log.warn({ proxyAddress: request.socket.remoteAddress }, warning);
      }
    }
    limitedRequests?.inc();
    const seconds = retryAfterSeconds ?? secondsLeft;
    const message = `Too many requests from this address had no valid access token. Check the token, and try again in ${seconds} seconds.`;
    return new ServiceError('rate_limited', message, { retryAfterSeconds: seconds });
  }

  function applyLimitToCached(request: Request, address: string, cached: Verification): Verification {
    if (cached.status === 'valid') return cached;
    if (failuresLeft(address) <= 0) throw rateLimited(request, address);
    countFailure(address);
    return cached;
  }

  async function lookUp(address: string, text: string, hash: string): Promise<Verification> {
    const verification = await accessTokens.verify(text);
    if (verification.status === 'valid') {
      validTokens.set(hash, true);
      timesSkipped.delete(hash);
    } else {
      validTokens.delete(hash);
      timesSkipped.set(hash, Number.POSITIVE_INFINITY);
      countFailure(address);
    }
    return verification;
  }

  async function lookUpWithinLimit(request: Request, address: string, text: string): Promise<Verification> {
    const hash = hashAccessToken(text);
    if (validTokens.has(hash)) return lookUp(address, text, hash);
    const skipped = timesSkipped.get(hash) ?? 0;
    if (failuresLeft(address) <= 0 && skipped === Number.POSITIVE_INFINITY)
      throw rateLimited(request, address);
    const key = `${text.startsWith(accessTokenPrefix) ? 'access token' : 'jwt'} ${address}`;
    const queue = lookUpQueues.get(key) ?? createLookUpQueue(() => failuresLeft(address));
    lookUpQueues.set(key, queue);
    const isAdmitted = await queue.enter(skipped);
    try {
      // Another request may have looked up the token in the meantime.
      const cached = accessTokens.verifyCached(text);
      if (cached !== undefined) return applyLimitToCached(request, address, cached);
      if (isAdmitted) return await lookUp(address, text, hash).catch(queue.rejectWaiting);
      timesSkipped.set(hash, skipped + 1);
      throw rateLimited(request, address, limitedLookUpMs / 1_000);
    } finally {
      if (isAdmitted) queue.leave();
    }
  }

  return function verifyWithinLimit(request, text, cached) {
    const address = readClientAddress(request);
    if (cached !== undefined) return applyLimitToCached(request, address, cached);
    return lookUpWithinLimit(request, address, text);
  };
}

type LookUpQueue = ReturnType<typeof createLookUpQueue>;

/**
 * Creates a queue for an address's token look-ups. It admits at most as many concurrent look-ups as the address has failures left. After the
 * address has reached the limit, the queue admits one look-up per second.
 */
function createLookUpQueue(failuresLeft: () => number) {
  const waiting: (PromiseWithResolvers<boolean> & { readonly rank: number })[] = [];
  let inFlight = 0;
  let timer: NodeJS.Timeout | undefined;

  function admit(): void {
    const left = failuresLeft();
    for (let free = left - inFlight; free > 0 && waiting.length > 0; free--) admitFirst();
    if (left > 0 || waiting.length === 0) return;
    waiting.sort((a, b) => b.rank - a.rank);
    for (const { resolve } of waiting.splice(1)) resolve(false);
    if (timer !== undefined) return;
    timer = setTimeout(() => {
      timer = undefined;
      admitFirst();
    }, limitedLookUpMs).unref();
  }

  function admitFirst(): void {
    const first = waiting.shift();
    if (first === undefined) return;
    inFlight++;
    first.resolve(true);
  }

  return {
    /**
     * Resolves to whether the caller may look up a token. If the address has reached the limit, the queue admits the token that was skipped
     * most often, and breaks ties randomly.
     */
    enter(skipped: number): Promise<boolean> {
      const request = { rank: skipped + Math.random(), ...Promise.withResolvers<boolean>() };
      waiting.push(request);
      admit();
      return request.promise;
    },
    leave(): void {
      inFlight--;
      admit();
    },
    /** Rejects the waiting look-ups with an admitted look-up's error, and throws the error. */
    rejectWaiting(error: unknown): never {
      // An identity provider's failure may concern only this token's key. Any other error would also fail the waiting look-ups.
      if (!(error instanceof ServiceError && error.errorName === 'identity_provider_unavailable'))
        for (const { reject } of waiting.splice(0)) reject(error);
      throw error;
    },
  };
}

/**
 * Returns a request's client address. If the connection comes from a trusted proxy, the client address is the last address in
 * `X-Forwarded-For` that is not a trusted proxy, with or without a port. If that address is invalid, the function returns the address of the
 * proxy that sent it.
 *
 * @returns an IPv4 address, or the /64 network of an IPv6 address, because a household or machine usually has a whole /64 network
 */
export function readClientAddress(request: Request): string {
  const candidates = [...request.ips, request.socket.remoteAddress ?? ''];
  const address = candidates.map(toNetwork).find((network) => network !== undefined);
  // The connection has no address once the client has disconnected.
  return address ?? 'unknown';
}

function toNetwork(address: string): string | undefined {
  // Some proxies report 192.0.2.1:4711 and [2001:db8::7]:4711.
  const [, ipv6, ipv4] = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d{1,5})?$/.exec(address) ?? [];
  // A link-local address may end with a zone, such as %eth0.
  const [plain = ''] = (ipv6 ?? ipv4 ?? address).split('%', 1);
  // Both checks are needed: ipaddr.js would accept 1 and 0x7f.1, and it rejects outdated addresses, such as ::192.0.2.1.
  if (isIP(plain) === 0 || !ipaddr.isValid(plain)) return undefined;
  // This converts ::ffff:192.0.2.1 to 192.0.2.1.
  const parsed = ipaddr.process(plain);
  if ('octets' in parsed) return parsed.toString();
  const network = new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]);
  return `${network.toString()}/64`;
}
