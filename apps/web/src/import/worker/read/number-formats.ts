/** Formats a number's digits as a cell with this format shows them. Returns `undefined` if the cell shows the digits unchanged. */
export type NumberFormat = (digits: string) => string | undefined;

/** The built-in date and time formats, by ID (ECMA-376, part 1, section 18.8.30, and East Asian ones). */
const builtInFormats: Readonly<Record<number, string>> = Object.fromEntries([
  ...[14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58].map((id) => [id, 'yyyy-mm-dd']),
  ...[18, 19, 20, 21, 32, 33, 34, 35, 55, 56].map((id) => [id, 'h:mm']),
  ...[45, 47].map((id) => [id, 'mm:ss']),
  [22, 'yyyy-mm-dd h:mm'],
  [46, '[h]:mm:ss'],
]);

/**
 * Returns the format of a date, a time, or a number with fixed digits, such as `00000` or `"PL-"0000`; `undefined` for any other.
 *
 * @param code the format code of the workbook; `undefined` for a built-in format
 * @param startMs day 0 of the workbook, in milliseconds since the epoch
 */
export function readNumberFormat(
  id: number,
  code: string | undefined,
  startMs: number,
): NumberFormat | undefined {
  const [section = ''] = (code ?? builtInFormats[id] ?? '').split(';');
  // Removes texts, colors, currencies, and conditions, but not elapsed times such as `[h]`.
  const bare = section.replace(/"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]/gi, '');
  if (/general/i.test(bare)) return undefined;
  const hasTime = /[hs]/i.test(bare);
  const hasDate = /[yd]/i.test(bare) || (!hasTime && /m/i.test(bare));
  if (hasDate || hasTime)
    return (digits) => showTime(Number(digits), startMs, { hasDate, hasTime, isElapsed: bare.includes('[') });
  const shown = section.replace(/\[[^\]]*\]|_.|\*./g, '');
  if (!/^(?:0|[-/ ()]|"[^"]*"|\\.)*$/.test(shown) || !/0.*0|["\\].*0|0.*["\\]/.test(shown)) return undefined;
  return (digits) => (/^\d+$/.test(digits) ? fillIn(shown, digits) : undefined);
}

const dayMs = 86_400_000;
const daySeconds = 86_400;
/** The day after 9999-12-31, the last date of a spreadsheet. */
const endSerial = 2_958_466;
/** February 29, 1900. Lotus 1-2-3 treated 1900 as a leap year, so the days before this one are off by one. */
const leapDay1900Serial = 60;
/** Day 0 of a workbook, in milliseconds since the epoch. */
export const start1900Ms = Date.UTC(1899, 11, 30);
/** Day 0 of a workbook from an old Mac, in milliseconds since the epoch. */
export const start1904Ms = Date.UTC(1904, 0, 1);

function showTime(
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

/** Replaces the zeros in a format with digits, aligned to the last zero. The first zero takes any surplus digits. */
function fillIn(format: string, digits: string): string {
  const parts = format.match(/0|"[^"]*"|\\.|./g) ?? [];
  const zeros = parts.filter((part) => part === '0').length;
  const filled = digits.padStart(zeros, '0');
  let position = 0;
  return parts
    .map((part) => {
      if (part.startsWith('"')) return part.slice(1, -1);
      if (part.startsWith('\\')) return part.slice(1);
      if (part !== '0') return part;
      const from = position;
      position += from === 0 ? filled.length - zeros + 1 : 1;
      return filled.slice(from, position);
    })
    .join('');
}
