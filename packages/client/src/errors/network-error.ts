import { pageOrigin } from '../parse-base-url.js';
import { isPlantStoreError, PlantStoreError } from './plant-store-error.js';

/**
 * No complete reply came: the service is not reachable, or the connection broke. `cause` is what `fetch` threw last.
 *
 * If `outcome` is `unknown`, the service may have carried out the request nevertheless. Retrying a create is safe:
 * the same plant under the same id is stored once.
 */
export class NetworkError extends PlantStoreError {
  override get name(): 'NetworkError' {
    return 'NetworkError';
  }
}

/** Whether a caught value is a `NetworkError`, also one of another copy of this package. */
export function isNetworkError(error: unknown): error is NetworkError {
  return isPlantStoreError(error) && error.name === 'NetworkError';
}

/**
 * Another possible cause if a page calls a service of another origin: browsers report the same error when CORS refuses a call and when the
 * network fails (Fetch standard). Empty if there is no page, or it has the same origin.
 */
export function explainOrigin(url: string): string {
  const origin = pageOrigin();
  // The origin of a file is `null`, which no setting permits.
  return /:/.test(origin) && !url.startsWith(`${origin}/`) ? `; it may need CORS_ORIGINS=${origin}` : '';
}

/**
 * Whether the system call or code of `fetch`'s error shows that no connection was made, so that nothing was sent. Always `false` in
 * browsers and Cloudflare Workers, which throw the same error for every network failure.
 */
export function wasNotSent(error: unknown): boolean {
  const { syscall, code, errors, cause } = Object(error);
  // Node.js tries all addresses of a name, and reports an error for each.
  if (Array.isArray(errors) && errors[0]) return errors.every(wasNotSent);
  // The first two are system calls in Node.js; the others are error codes, of undici and, in several spellings, of Bun.
  const unconnected = /^(connect|getaddrinfo) |CONNECT_TIMEOUT$|CONN.*REFUSED$/i;
  return unconnected.test(`${syscall} ${code}`) || (cause !== undefined && wasNotSent(cause));
}
