/** Matches a `date-time` (RFC 3339, section 5.6). Also accepts a time without seconds, because Java omits them if they are 0. */
const timePattern =
  /^(\d{4}-\d\d-\d\d)[t ](\d\d:\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:z|([+-])([01]\d|2[0-3]):([0-5]\d))$/i;

const dayMs = 86_400_000;
const earliestMs = Date.parse('0000-01-01T00:00:00.000Z');
const latestMs = Date.parse('9999-12-31T23:59:59.999Z');

/**
 * Parses a time (RFC 3339, section 5.6) with any offset from UTC and any number of fractional digits.
 *
 * @param rounding how to round a fraction of a millisecond
 * @returns milliseconds since 1970, limited to the years 0 to 9999 in UTC; `undefined` if the text is not a time
 */
export function parseTime(text: string, rounding: 'up' | 'down'): number | undefined {
  const [, date, minute, second = '00', fraction = '', sign = '+', hours = '0', minutes = '0'] =
    timePattern.exec(text) ?? [];
  const isLeap = second === '60';
  const localMs = Date.parse(`${date}T${minute}:${isLeap ? '59' : second}Z`);
  // JavaScript would accept February 30 as March 2, and 24:00 as the next day.
  if (Number.isNaN(localMs) || !new Date(localMs).toISOString().startsWith(`${date}T${minute}`))
    return undefined;
  const ms = localMs - Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) * 60_000;
  if (isLeap) {
    // Leap seconds are at the end of a day in UTC. Computer clocks do not have them, so this is the next second.
    const isEndOfDay = (ms + 1_000) % dayMs === 0;
    return isEndOfDay ? clamp(ms + 1_000) : undefined;
  }
  const roundsUp = rounding === 'up' && /[1-9]/.test(fraction.slice(3));
  return clamp(ms + Number(fraction.slice(0, 3).padEnd(3, '0')) + (roundsUp ? 1 : 0));
}

const clamp = (ms: number) => Math.min(Math.max(ms, earliestMs), latestMs);
