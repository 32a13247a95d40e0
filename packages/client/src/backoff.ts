import type { Route } from '@plant-store/contract/routes';

/**
 * Returns how long to wait before a retry, in milliseconds: the value of `Retry-After` (RFC 9110, section 10.2.3), or else `backoffMs`.
 * Returns `Infinity` if a retry is not safe or would not help.
 */
export function retryDelayMs(
  { idempotent = true }: Pick<Route, 'idempotent'>,
  retry: number,
  response: Response | undefined,
): number {
  if (!idempotent || (response && !retryableStatuses.includes(response.status))) return Infinity;
  const retryAfterMs = parseRetryAfter(response?.headers.get('retry-after') ?? '');
  return retryAfterMs >= 0 ? retryAfterMs : backoffMs(retry);
}

/**
 * Returns a random fraction of a time that doubles with each retry, so that clients do not all retry at the same moment: at most 200 ms
 * before retry 1, 400 ms before retry 2, and never more than 10 seconds.
 */
export function backoffMs(retry: number): number {
  return Math.random() * Math.min(10_000, 100 * 2 ** retry);
}

/** The statuses after which the same request can succeed (RFC 9110, sections 15.5.9 and 15.6; RFC 6585; RFC 8470). */
const retryableStatuses = [408, 425, 429, 500, 502, 503, 504];

/** Parses `Retry-After`, which is in seconds or a date. Returns milliseconds from now, or `NaN` if it is neither. */
export function parseRetryAfter(value: string): number {
  return /^\d+$/.test(value) ? Number(value) * 1000 : Math.max(0, Date.parse(value) - Date.now());
}
