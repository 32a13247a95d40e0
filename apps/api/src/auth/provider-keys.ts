import {
  createLocalJWKSet,
  errors,
  type FlattenedJWSInput,
  importJWK,
  type JSONWebKeySet,
  type JWK,
  type JWSHeaderParameters,
} from 'jose';
import { messageOf } from '../errors/operator-error.js';
import { ServiceError } from '../errors/service-error.js';
import type { JwtSettings } from './jwt-settings.js';

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

/** The largest key set that is read, in bytes; one of ten keys with certificates has about 20 KiB. */
const maxBytes = 2 ** 18;

/**
 * Fetches the keys of an identity provider (JWK Set, RFC 7517, section 5). Redirects are not followed, and what is larger
 * than 256 KiB is not read.
 *
 * @param signal ends the fetch, the reading of the body included
 * @throws {Error} when the reply does not come, has another status than 200, is too large, or is not JSON
 */
export async function fetchKeySet(url: string, signal: AbortSignal): Promise<JSONWebKeySet> {
  const response = await fetch(url, {
    redirect: 'manual',
    headers: { Accept: 'application/jwk-set+json, application/json' },
    signal,
  }).catch((cause: unknown) => {
    throw new Error(`${url} does not answer: ${reasonOf(cause)}`, { cause });
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    const isRedirect = response.status >= 300 && response.status < 400;
    throw new Error(
      `${url} answered with status ${response.status}${isRedirect ? '; redirects are not followed' : ''}`,
    );
  }
  const text = await readText(response, url);
  try {
    return JSON.parse(text) as JSONWebKeySet;
  } catch (cause) {
    // The message of a SyntaxError quotes what was read.
    throw new Error(`${url} did not answer with JSON`, { cause });
  }
}

async function readText({ body }: Response, url: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // To leave the loop cancels the body.
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`${url} answered with more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** What `fetch` failed with: its own message is always the same. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (cause instanceof Error && 'code' in cause && typeof cause.code === 'string') return cause.code;
  return messageOf(cause);
}

/**
 * Finds the public keys in a key set that can verify signatures of one of the algorithms. Other members are ignored, such as
 * those of an unknown type, incomplete ones, and what is no key at all (RFC 7517, section 5).
 */
export async function findUsableKeys(
  members: readonly unknown[],
  algorithms: readonly string[],
): Promise<JWK[]> {
  const keys = members.filter((member) => typeof member === 'object' && member !== null);
  const usable = await Promise.all(keys.map((key) => isUsable(key, algorithms)));
  return keys.filter((_, index) => usable[index]);
}

async function isUsable(key: JWK, algorithms: readonly string[]): Promise<boolean> {
  const fitting = algorithms.filter((algorithm) => fitsAlgorithm(key, algorithm));
  const imported = await Promise.allSettled(fitting.map((algorithm) => importJWK(key, algorithm)));
  // A symmetric key is imported as bytes.
  return imported.some(
    (result) => result.status === 'fulfilled' && 'type' in result.value && result.value.type === 'public',
  );
}

/** Whether a public key may verify signatures of an algorithm (RFC 7518, section 3.1; RFC 8037, section 3.1). */
export function fitsAlgorithm({ kty, alg, use = 'sig' }: JWK, algorithm: string): boolean {
  if (use !== 'sig') return false;
  if (alg !== undefined) return alg === algorithm;
  if (/^[RP]S/.test(algorithm)) return kty === 'RSA';
  return kty === (algorithm.startsWith('ES') ? 'EC' : 'OKP');
}
