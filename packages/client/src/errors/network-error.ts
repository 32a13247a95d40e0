import { pageOrigin } from '../parse-base-url.js';
import { isPlantStoreError, PlantStoreError } from './plant-store-error.js';

/**
 * No complete reply came: the service is not reachable, or the connection broke. `cause` is the last error of `fetch`.
 *
 * If `outcome` is `unknown`, the service may still have carried out the request. Retrying a create is safe: the same plant with the same ID
 * is stored once.
 */
export class NetworkError extends PlantStoreError {
  override get name(): 'NetworkError' {
    return 'NetworkError';
  }
}

/** Whether a caught value is a `NetworkError`, including one from another copy of this package. */
export function isNetworkError(error: unknown): error is NetworkError {
  return isPlantStoreError(error) && error.name === 'NetworkError';
}

/**
 * Returns a hint about CORS_ORIGINS if a page calls a service at another origin, because browsers report the same error for a CORS
 * rejection and for a network failure (Fetch standard). Otherwise returns an empty string.
 */
export function explainOrigin(url: string): string {
  const origin = pageOrigin();
  // The origin of a file is `null`, which no setting permits.
  return /:/.test(origin) && !url.startsWith(`${origin}/`) ? `; it may need CORS_ORIGINS=${origin}` : '';
}

/**
 * Whether an error of `fetch` shows, by its system call or code, that no connection was made, so nothing was sent. Always `false` in
 * browsers and Cloudflare Workers, which throw the same error for every network failure.
 */
export function wasNotSent(error: unknown): boolean {
  const { syscall, code, errors, cause } = Object(error);
  // Node.js tries all addresses of a host name, and reports an error for each.
  if (Array.isArray(errors) && errors[0]) return errors.every(wasNotSent);
  // `connect` and `getaddrinfo` are system calls in Node.js. The others are error codes of undici and, in several spellings, of Bun.
  const unconnected = /^(connect|getaddrinfo) |CONNECT_TIMEOUT$|CONN.*REFUSED$/i;
  return unconnected.test(`${syscall} ${code}`) || (cause !== undefined && wasNotSent(cause));
}
