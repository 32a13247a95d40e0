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

/** How long the failures of an address count, and how often a limited address may have a token looked up, in milliseconds. */
const windowMs = 60_000;
const limitedLookUpMs = 1_000;

/** Maximum number of addresses, and of tokens of each kind, in the caches. The least recently used is evicted. */
export const maxRemembered = 10_000;

export interface LimitDependencies {
  readonly accessTokens: TokenVerifier;
  /** How many failures an address may have per minute; 0 is no limit. */
  readonly authFailuresPerMinute: number;
  readonly log: Pick<Logger, 'warn'>;
  readonly metrics?: Registry | undefined;
  /** Aborted once the service begins to stop: what was counted is then logged. */
  readonly stopping: AbortSignal;
}

/** Limits failed authentications by client address, by the rule of docs/decisions/0023-failed-authentications.md. */
export function limitAuthentication(dependencies: LimitDependencies): VerifyUncached {
  const { accessTokens, authFailuresPerMinute, log, metrics, stopping } = dependencies;
  const name = 'plant_store_authentication_limited_total';
  const help =
    'Requests rejected with rate_limited because their client address had too many failed authentications';
  const limitedRequests = metrics && new Counter({ name, help, registers: [metrics] });
  if (authFailuresPerMinute === 0) return (_request, text, cached) => cached ?? accessTokens.verify(text);

  // A nonzero `ttlResolution` would start a timer to avoid reading the clock.
  const forAMinute = { max: maxRemembered, ttl: windowMs, perf: performance, ttlResolution: 0 };
  /** The addresses with failures, and how many of their requests were rejected since the limit was reached. */
  const failed = new LRUCache<string, { failures: number; rejected: number }>({
    ...forAMinute,
    ttlAutopurge: true,
    dispose({ rejected }, clientAddress) {
      if (rejected > 0) log.warn({ clientAddress, rejected }, 'authentication limit ended');
    },
  });
  stopping.addEventListener('abort', () => failed.clear());
  // Keyed by hash, so that no token is kept in memory.
  const validTokens = new LRUCache<string, true>({ max: maxRemembered });
  /** How often another token of the address was looked up instead of this one; infinite for a token known to be invalid. */
  const passedOver = new LRUCache<string, number>(forAMinute);
  /** By address and kind of token, so that an identity provider that hangs does not delay other tokens. */
  const allLookUps = new LRUCache<string, LookUps>({ max: maxRemembered });

  const failuresLeft = (address: string) => authFailuresPerMinute - (failed.get(address)?.failures ?? 0);

  function fail(address: string): void {
    const counts = failed.get(address) ?? { failures: 0, rejected: 0 };
    if (counts.failures++ === 0) failed.set(address, counts);
  }

  function rateLimited(request: Request, address: string, retryAfterSeconds?: number): ServiceError {
    const counts = failed.get(address);
    const secondsLeft = Math.max(1, Math.ceil(failed.getRemainingTTL(address) / 1_000));
    if (counts !== undefined && counts.rejected++ === 0) {
      log.warn({ clientAddress: address, seconds: secondsLeft }, 'authentication limited');
      // The address may be that of a proxy, unless the client forged the header.
      if (request.headers['x-forwarded-for'] !== undefined && request.ips.length === 0) {
        const warning = 'X-Forwarded-For of an address that is not in TRUSTED_PROXIES is ignored';
        log.warn({ proxyAddress: request.socket.remoteAddress }, warning);
      }
    }
    limitedRequests?.inc();
    const seconds = retryAfterSeconds ?? secondsLeft;
    const message = `Too many requests from this address had no valid access token. Check the token, and try again in ${seconds} seconds.`;
    return new ServiceError('rate_limited', message, { retryAfterSeconds: seconds });
  }

  function conclude(request: Request, address: string, cached: Verification): Verification {
    if (cached.status === 'valid') return cached;
    if (failuresLeft(address) <= 0) throw rateLimited(request, address);
    fail(address);
    return cached;
  }

  async function lookUp(address: string, text: string, hash: string): Promise<Verification> {
    const verification = await accessTokens.verify(text);
    if (verification.status === 'valid') {
      validTokens.set(hash, true);
      passedOver.delete(hash);
    } else {
      validTokens.delete(hash);
      passedOver.set(hash, Number.POSITIVE_INFINITY);
      fail(address);
    }
    return verification;
  }

  async function lookUpWithinLimit(request: Request, address: string, text: string): Promise<Verification> {
    const hash = hashAccessToken(text);
    if (validTokens.has(hash)) return lookUp(address, text, hash);
    const times = passedOver.get(hash) ?? 0;
    if (failuresLeft(address) <= 0 && times === Number.POSITIVE_INFINITY) throw rateLimited(request, address);
    const key = `${text.startsWith(accessTokenPrefix) ? 'own' : 'jwt'} ${address}`;
    const lookUps = allLookUps.get(key) ?? createLookUps(() => failuresLeft(address));
    allLookUps.set(key, lookUps);
    const isAdmitted = await lookUps.enter(times);
    try {
      // Another request may have looked it up in the meantime.
      const cached = accessTokens.verifyCached(text);
      if (cached !== undefined) return conclude(request, address, cached);
      if (isAdmitted) return await lookUp(address, text, hash).catch(lookUps.fail);
      passedOver.set(hash, times + 1);
      throw rateLimited(request, address, limitedLookUpMs / 1_000);
    } finally {
      if (isAdmitted) lookUps.leave();
    }
  }

  return function verifyWithinLimit(request, text, cached) {
    const address = readClientAddress(request);
    if (cached !== undefined) return conclude(request, address, cached);
    return lookUpWithinLimit(request, address, text);
  };
}

type LookUps = ReturnType<typeof createLookUps>;

/** The look-ups of an address. At most as many are in flight as failures are left. A limited address gets one per second. */
function createLookUps(failuresLeft: () => number) {
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
     * Resolves to whether a token may be looked up. For a limited address, the token that was passed over most often goes first; ties are
     * broken randomly.
     */
    enter(times: number): Promise<boolean> {
      const request = { rank: times + Math.random(), ...Promise.withResolvers<boolean>() };
      waiting.push(request);
      admit();
      return request.promise;
    },
    leave(): void {
      inFlight--;
      admit();
    },
    /** Also rejects the waiting look-ups, which would fail, too. Not if only the key of this token could not be fetched. */
    fail(error: unknown): never {
      if (!(error instanceof ServiceError && error.errorName === 'identity_provider_unavailable'))
        for (const { reject } of waiting.splice(0)) reject(error);
      throw error;
    },
  };
}

/**
 * Reads the address of the client of a request: that of the connection, or if that is a trusted proxy, the last address in
 * `X-Forwarded-For` that is not one, with or without a port. If this is not a valid address, the address of the proxy that sent it counts.
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
  // Both checks are needed: ipaddr.js would accept 1 and 0x7f.1, and it rejects outdated addresses, such as ::192.0.2.1.
  if (isIP(plain) === 0 || !ipaddr.isValid(plain)) return undefined;
  // ::ffff:192.0.2.1 is 192.0.2.1.
  const parsed = ipaddr.process(plain);
  if ('octets' in parsed) return parsed.toString();
  const network = new ipaddr.IPv6([...parsed.parts.slice(0, 4), 0, 0, 0, 0]);
  return `${network.toString()}/64`;
}
