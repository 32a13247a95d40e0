import { ServiceError } from '@plant-store/records';
import {
  type CryptoKey,
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  errors,
  type FlattenedJWSInput,
  type JSONWebKeySet,
  type JWK,
  type JWSHeaderParameters,
} from 'jose';
import { codeOf, messageOf } from '../errors/operator-error.js';
import type { JwtSettings } from './jwt-settings.js';

export interface JwtLog {
  info(message: string): void;
  warn(fields: { readonly err: unknown }, message: string): void;
}

export type ProviderKeys = ReturnType<typeof createProviderKeys>;

/**
 * Creates the identity provider's keys, which are fetched immediately, at regular intervals, and when a token names an unknown key. Fetches
 * are never concurrent, and never within the cooldown, whatever tokens clients send. While the provider is unavailable, the known keys stay
 * in use. jose holds the keys and shares a fetch in flight. This module decides when to fetch, because jose uses the system clock, which
 * can be changed.
 */
export function createProviderKeys(
  { jwksUrl, algorithms, keyTimes }: Pick<JwtSettings, 'jwksUrl' | 'algorithms' | 'keyTimes'>,
  log: JwtLog,
) {
  const closing = new AbortController();
  /** Why the last fetch failed, and when the next fetch begins; `undefined` if the last fetch succeeded. */
  let failure: { readonly cause: unknown; readonly retryAt: number } | undefined;
  /** The timer of the next fetch. An unknown key in a token triggers it early, unless the last fetch failed. */
  let timer: NodeJS.Timeout | undefined;
  let fetchedAt = Number.NEGATIVE_INFINITY;
  const isOlderThan = (ms: number) => performance.now() - fetchedAt >= ms;

  const keySet = createRemoteJWKSet(new URL(jwksUrl), {
    timeoutDuration: keyTimes.timeoutMs,
    cooldownDuration: Number.POSITIVE_INFINITY,
    cacheMaxAge: Number.POSITIVE_INFINITY,
    async [customFetch](url, { signal }) {
      if (failure !== undefined && timer !== undefined) throw unavailable(failure);
      clearTimeout(timer);
      try {
        const set = await fetchKeySet(url, AbortSignal.any([signal, closing.signal]));
        if (!Array.isArray(set?.keys)) throw new Error(`${url} did not return a key set`);
        const keys = await findUsableKeys(set.keys, algorithms);
        // An unusable set must not replace the known keys.
        if (keys.length === 0) throw new Error(`${url} returned no key for ${algorithms.join(', ')}`);
        if (failure !== undefined) log.info('identity provider keys fetched again');
        failure = undefined;
        fetchedAt = performance.now();
        return Response.json({ keys });
      } catch (cause) {
        if (failure === undefined && !closing.signal.aborted)
          log.warn({ err: cause }, 'could not fetch the identity provider keys');
        failure = { cause, retryAt: performance.now() + keyTimes.cooldownMs };
        throw unavailable(failure);
      } finally {
        const delayMs = failure === undefined ? keyTimes.refreshMs : keyTimes.cooldownMs;
        if (!closing.signal.aborted) timer = setTimeout(refresh, delayMs).unref();
      }
    },
  });

  function refresh(): void {
    timer = undefined;
    // Failures are logged by the fetch itself.
    keySet.reload().catch(() => undefined);
  }

  refresh();
  return {
    /**
     * Finds the key that a token names by `kid`, or the only one that fits its `alg`.
     *
     * @throws {errors.JOSEError} when there is no such key
     * @throws {ServiceError} `identity_provider_unavailable` when the keys cannot be fetched
     */
    async find(header: JWSHeaderParameters, token: FlattenedJWSInput): Promise<CryptoKey> {
      if (isOlderThan(keyTimes.staleMs)) await keySet.reload();
      try {
        return await keySet(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey) || !isOlderThan(keyTimes.cooldownMs)) throw error;
        await keySet.reload();
        return keySet(header, token);
      }
    },
    close(): void {
      clearTimeout(timer);
      closing.abort();
    },
  };
}

function unavailable({ cause, retryAt }: { cause: unknown; retryAt: number }): ServiceError {
  const seconds = Math.max(1, Math.ceil((retryAt - performance.now()) / 1_000));
  const message = `The service cannot fetch keys from the identity provider. Try again in ${seconds} seconds.`;
  return new ServiceError('identity_provider_unavailable', message, { retryAfterSeconds: seconds, cause });
}

/** The maximum size of a key set, in bytes. Ten keys with certificates take about 20 KiB. */
const maxBytes = 2 ** 18;

/**
 * Fetches an identity provider's keys (JWK Set, RFC 7517, section 5). Does not follow redirects, and reads at most 256 KiB.
 *
 * @throws {Error} if there is no reply, or if the reply has a status other than 200, is too large, or is not JSON
 */
export async function fetchKeySet(url: string, signal: AbortSignal): Promise<JSONWebKeySet> {
  const response = await fetch(url, {
    redirect: 'manual',
    headers: { Accept: 'application/jwk-set+json, application/json' },
    signal,
  }).catch((cause: unknown) => {
    throw new Error(`${url} is not responding: ${reasonOf(cause)}`, { cause });
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    const isRedirect = response.status >= 300 && response.status < 400;
    throw new Error(
      `${url} returned status ${response.status}${isRedirect ? '; redirects are not followed' : ''}`,
    );
  }
  const text = await readText(response, url);
  try {
    return JSON.parse(text) as JSONWebKeySet;
  } catch (cause) {
    // Not the message of the SyntaxError, because it quotes the body.
    throw new Error(`${url} did not return JSON`, { cause });
  }
}

async function readText({ body }: Response, url: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the body.
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`${url} returned more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** Returns why a `fetch` failed. The reason is in the error's cause, because the error's own message is always the same. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const code = codeOf(cause);
  return typeof code === 'string' ? code : messageOf(cause);
}

/**
 * Finds the public keys in a key set that can verify signatures of one of the algorithms. Ignores all other members, such as unknown types
 * and incomplete keys (RFC 7517, section 5).
 */
export async function findUsableKeys(
  members: readonly unknown[],
  algorithms: readonly string[],
): Promise<JWK[]> {
  const usable = await Promise.all(
    members.map((member) =>
      Promise.any(algorithms.map(async (alg) => createLocalJWKSet({ keys: [member as JWK] })({ alg }))).then(
        () => [member as JWK],
        () => [],
      ),
    ),
  );
  return usable.flat();
}
