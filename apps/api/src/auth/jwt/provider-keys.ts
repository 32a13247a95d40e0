import {
  createLocalJWKSet,
  errors,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWSHeaderParameters,
} from 'jose';
import { ServiceError } from '../../errors/service-error.js';
import { fetchKeySet } from './fetch-key-set.js';
import type { JwtSettings } from './jwt-settings.js';
import { findUsableKeys } from './usable-keys.js';

/** Where it is logged that the identity provider goes away and comes back. */
export interface JwtLog {
  info(message: string): void;
  warn(fields: { readonly err: unknown }, message: string): void;
}

type KeySet = ReturnType<typeof createLocalJWKSet>;
type Key = Awaited<ReturnType<KeySet>>;

/** The public keys of an identity provider. */
export interface ProviderKeys {
  /**
   * Finds the key that a token names by `kid`, or the only one that fits its `alg`.
   *
   * @throws {errors.JOSEError} when there is no such key
   * @throws {ServiceError} `identity_provider_unavailable` when that cannot be known, since the keys cannot be fetched
   */
  find(header: JWSHeaderParameters, token: FlattenedJWSInput): Promise<Key>;
  /** Stops fetching. */
  close(): void;
}

/**
 * Fetches the keys now, at regular intervals, and when a token names one that is not known, but never twice at once nor
 * sooner than the cooldown after the last time, whatever tokens strangers send. While the provider is away, the keys that
 * are known stay in use.
 */
export function createProviderKeys(
  settings: Pick<JwtSettings, 'jwksUrl' | 'algorithms' | 'keyTimes'>,
  log: JwtLog,
): ProviderKeys {
  const { refreshMs, cooldownMs, timeoutMs, staleMs } = settings.keyTimes;
  const closing = new AbortController();
  let keys: KeySet | undefined;
  let fetchedAt = -Infinity;
  /** When the last fetch ended, and what it failed with. */
  let triedAt = -Infinity;
  let failure: { readonly cause: unknown } | undefined;
  let fetching: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;

  async function fetchKeys(): Promise<void> {
    clearTimeout(timer);
    try {
      const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), closing.signal]);
      keys = await readKeySet(await fetchKeySet(settings.jwksUrl, signal), settings);
      fetchedAt = performance.now();
      if (failure !== undefined) log.info('keys of the identity provider fetched again');
      failure = undefined;
    } catch (cause) {
      if (closing.signal.aborted) return;
      if (failure === undefined)
        log.warn({ err: cause }, 'could not fetch the keys of the identity provider');
      failure = { cause };
    } finally {
      triedAt = performance.now();
      fetching = undefined;
    }
    timer = setTimeout(refresh, failure === undefined ? refreshMs : cooldownMs).unref();
  }

  function refresh(): Promise<void> {
    fetching ??= fetchKeys();
    return fetching;
  }

  async function refreshUnlessCoolingDown(): Promise<void> {
    if (fetching !== undefined || performance.now() - triedAt >= cooldownMs) await refresh();
  }

  function unavailable(): ServiceError {
    const seconds = Math.max(1, Math.ceil((triedAt + cooldownMs - performance.now()) / 1_000));
    const message = `The keys of the identity provider cannot be fetched. Try again in ${seconds} s.`;
    return new ServiceError('identity_provider_unavailable', message, {
      retryAfterSeconds: seconds,
      cause: failure?.cause,
    });
  }

  void refresh();
  return {
    async find(header, token) {
      if (performance.now() - fetchedAt > staleMs) await refreshUnlessCoolingDown();
      if (keys === undefined || performance.now() - fetchedAt > staleMs) throw unavailable();
      try {
        return await keys(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      }
      await refreshUnlessCoolingDown();
      if (failure !== undefined) throw unavailable();
      return keys(header, token);
    },

    close() {
      clearTimeout(timer);
      closing.abort();
    },
  };
}

/** A set without a key that could be used must not replace those that are known. */
async function readKeySet(
  set: JSONWebKeySet,
  { jwksUrl, algorithms }: Pick<JwtSettings, 'jwksUrl' | 'algorithms'>,
): Promise<KeySet> {
  if (!Array.isArray(set?.keys)) throw new Error(`${jwksUrl} did not answer with a key set`);
  const keys = await findUsableKeys(set.keys, algorithms);
  if (keys.length > 0) return createLocalJWKSet({ keys });
  throw new Error(`${jwksUrl} answered without a key that fits ${algorithms.join(', ')}`);
}
