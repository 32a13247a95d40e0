/** The statuses after which the same request may succeed (RFC 9110, sections 15.5.9 and 15.6; RFC 6585; RFC 8470). */
const passing = /^(408|425|429|50[0234])$/;

/** Whether a status tells of something that may pass. */
export function mayPass(status: number): boolean {
  return passing.test(String(status));
}

/** The longest pause before the first repetition, and before any, in milliseconds. */
const firstPauseMs = 200;
const longestPauseMs = 10_000;

/**
 * How long to wait before the request is repeated, in milliseconds: what `Retry-After` asks for (RFC 9110, section
 * 10.2.3), otherwise a random part of a time that doubles with each attempt, so that clients do not come back together.
 */
export function pauseMs(attempt: number, headers: Headers | undefined): number {
  return (
    parseRetryAfter(headers?.get('retry-after')) ??
    Math.random() * Math.min(longestPauseMs, firstPauseMs * 2 ** (attempt - 1))
  );
}

/** Seconds, or a date, as milliseconds from now; `undefined` when it is neither. */
function parseRetryAfter(value: string | null | undefined): number | undefined {
  if (!value) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}
