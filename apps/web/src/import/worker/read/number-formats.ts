/** Converts a cell's number to text: dates and times in ISO form, fixed-digit numbers as displayed. `undefined` keeps the digits. */
export type NumberFormat = (digits: string) => string | undefined;

/**
 * Stand-ins for the built-in date and time formats, by ID (ECMA-376, part 1, section 18.8.30, and East Asian ones). Only whether they
 * contain a date, a time, or an elapsed time matters.
 */
const builtInFormats: Readonly<Record<number, string>> = Object.fromEntries([
  ...[14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58].map((id) => [id, 'yyyy-mm-dd']),
  ...[18, 19, 20, 21, 32, 33, 34, 35, 55, 56].map((id) => [id, 'h:mm']),
  ...[45, 47].map((id) => [id, 'mm:ss']),
  [22, 'yyyy-mm-dd h:mm'],
  [46, '[h]:mm:ss'],
]);

/**
 * Reads the format of a date, a time, or a fixed-digit number, such as `00000` or `"PL-"0000`. Returns `undefined` for other formats.
 *
 * @param code the workbook's format code; `undefined` for a built-in format
 * @param startMs the workbook's day 0, in milliseconds since the epoch
 */
export function readNumberFormat(
  id: number,
  code: string | undefined,
  startMs: number,
): NumberFormat | undefined {
  const [section = ''] = (code ?? builtInFormats[id] ?? '').split(';');
  // Removes literals, padding, colors, currencies, and conditions, but not elapsed times such as `[h]`.
  const withoutLiterals = section.replace(/"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, '');
  if (/general/i.test(withoutLiterals)) return undefined;
  const hasTime = /[hs]/i.test(withoutLiterals);
  // Next to a time, `m` means minutes. Otherwise, it means months.
  const hasDate = /[yd]/i.test(withoutLiterals) || (!hasTime && /m/i.test(withoutLiterals));
  const isElapsed = withoutLiterals.includes('[');
  if (hasDate || hasTime)
    return (digits) => toIsoText(Number(digits), startMs, { hasDate, hasTime, isElapsed });
  const digitPattern = section.replace(/\[[^\]]*\]|_.|\*./g, '');
  // Accepts only zeros, separators, and literals: at least two zeros, or a zero and a literal. Other formats are not for IDs.
  if (!/^(?:0|[-/ ()]|"[^"]*"|\\.)*$/.test(digitPattern)) return undefined;
  if (!/0.*0|["\\].*0|0.*["\\]/.test(digitPattern)) return undefined;
  return (digits) => (/^\d+$/.test(digits) ? fillIn(digitPattern, digits) : undefined);
}

const dayMs = 86_400_000;
const daySeconds = 86_400;
/** The serial number of the day after 9999-12-31, the last date that a spreadsheet supports. */
const endSerial = 2_958_466;
/** February 29, 1900. Lotus 1-2-3 treated 1900 as a leap year, so serial numbers before this one are one day behind `start1900Ms`. */
const leapDay1900Serial = 60;
/** Day 0 of a workbook, in milliseconds since the epoch. */
export const start1900Ms = Date.UTC(1899, 11, 30);
/** Day 0 of a workbook from an old Mac, in milliseconds since the epoch. */
export const start1904Ms = Date.UTC(1904, 0, 1);

/** Returns a serial number's date, time, or both, or `undefined` if it is out of range. The fraction of the number is the time. */
function toIsoText(
  serial: number,
  startMs: number,
  { hasDate, hasTime, isElapsed }: { hasDate: boolean; hasTime: boolean; isElapsed: boolean },
): string | undefined {
  if (!(serial >= 0 && serial < endSerial)) return undefined;
  const ms = Math.round(serial * daySeconds) * 1000;
  const seconds = ms / 1000;
  if (isElapsed) return `${Math.floor(seconds / 3600)}:${new Date(ms).toISOString().slice(14, 19)}`;
  const leapDayMs = serial < leapDay1900Serial && startMs !== start1904Ms ? dayMs : 0;
  const text = new Date(startMs + ms + leapDayMs).toISOString();
  const time = text.slice(11, seconds % 60 === 0 ? 16 : 19);
  const isMidnight = hasDate && seconds % daySeconds === 0;
  return [...(hasDate ? [text.slice(0, 10)] : []), ...(hasTime && !isMidnight ? [time] : [])].join(' ');
}

/** Replaces the zeros in a pattern with digits, aligned to the last zero. The first zero takes any surplus digits. */
function fillIn(pattern: string, digits: string): string {
  const parts = pattern.match(/0|"[^"]*"|\\.|./g) ?? [];
  const zeros = parts.filter((part) => part === '0').length;
  const filled = digits.padStart(zeros, '0');
  let position = 0;
  return parts
    .map((part) => {
      if (part.startsWith('"')) return part.slice(1, -1);
      if (part.startsWith('\\')) return part.slice(1);
      if (part !== '0') return part;
      const start = position;
      position += start === 0 ? filled.length - zeros + 1 : 1;
      return filled.slice(start, position);
    })
    .join('');
}
