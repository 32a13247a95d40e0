import { InvalidArgumentError } from 'commander';

/** @throws {InvalidArgumentError} when the text is blank or has control characters */
export function toName(text: string): string {
  if (text.trim() === '' || /\p{Cc}/u.test(text)) {
    throw new InvalidArgumentError('Give a name for the token: one line of text.');
  }
  return text;
}

/** The time in so long from now, given as a duration such as `12h`; `null` for `never`. */
export function toExpiry(text: string): Date | null {
  return text === 'never' ? null : new Date(Date.now() + toDurationMs(text));
}

/** The milliseconds of a duration such as `1h`, or of `0`. */
export function toOverlapMs(text: string): number {
  return text === '0' ? 0 : toDurationMs(text);
}

/** The milliseconds of a duration. The time in so long has a year of four digits, as `token import` expects (RFC 3339). */
function toDurationMs(text: string): number {
  const durationMs = parseDuration(text);
  if (durationMs === undefined)
    throw new InvalidArgumentError('Give a number and a unit, such as 12h or 30d.');
  if (new Date(Date.now() + durationMs).getUTCFullYear() > 9_999)
    throw new InvalidArgumentError('Give a time before the year 10000.');
  return durationMs;
}

/** An HTTP URL. */
export function toUrl(text: string): URL {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new InvalidArgumentError('Give a URL, such as http://127.0.0.1:3001.');
  }
  return url;
}

export function toTokenId(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('Give the id that token list shows.');
  return Number(text);
}

export function toLineNumber(text: string): number {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('Give the number of a line, from 1 on.');
  return Number(text);
}

/** The most shards that `migrate --distribute` makes: Citus allows 64,000, and each is a table on its node. */
const mostShards = 32_000;

export function toShardCount(text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text) || Number(text) > mostShards)
    throw new InvalidArgumentError(`Give a number of shards from 1 to ${mostShards}.`);
  return Number(text);
}

const unitsMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** The milliseconds in a text such as `90s`, `30m`, `12h`, `30d` or `52w`; `undefined` when it is not one. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit = ''] = /^([1-9]\d{0,5})([smhdw])$/.exec(text) ?? [];
  const unitMs = unitsMs[unit];
  return amount === undefined || unitMs === undefined ? undefined : Number(amount) * unitMs;
}
