/** Whether the same request may succeed after a status (RFC 9110, sections 15.5.9 and 15.6; RFC 6585; RFC 8470). */
export function isRetryableStatus(status: number): boolean {
  return /^(408|425|429|50[0234])$/.test(String(status));
}

/**
 * How long to wait before the request is repeated, in milliseconds: what `Retry-After` asks for (RFC 9110, section
 * 10.2.3), otherwise a random part of a time that doubles with each attempt, so that clients do not come back together.
 */
export function backoffDelayMs(attempt: number, headers: Headers | undefined): number {
  const firstMs = 200;
  const longestMs = 10_000;
  const askedMs = parseRetryAfter(headers?.get('retry-after') ?? '');
  return Number.isNaN(askedMs) ? Math.random() * Math.min(longestMs, firstMs * 2 ** (attempt - 1)) : askedMs;
}

/** Seconds, or a date, as milliseconds from now; `NaN` when it is neither. */
function parseRetryAfter(value: string): number {
  return /^\d+$/.test(value) ? Number(value) * 1000 : Math.max(0, Date.parse(value) - Date.now());
}
