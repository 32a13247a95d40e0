/** How cells of a style show a number, as far as relevant for plants. Most show its digits. */
export type NumberFormat = (digits: string) => string | undefined;

/** The numbers of built-in formats (ECMA-376, part 1, section 18.8.30), and of East Asian dates. */
const builtIn: Readonly<Record<number, string>> = Object.fromEntries([
  ...[14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58].map((id) => [id, 'yyyy-mm-dd']),
  ...[18, 19, 20, 21, 32, 33, 34, 35, 55, 56].map((id) => [id, 'h:mm']),
  ...[45, 47].map((id) => [id, 'mm:ss']),
  [22, 'yyyy-mm-dd h:mm'],
  [46, '[h]:mm:ss'],
]);

/**
 * Reads a format: of a date, of a time, or one with a fixed number of digits, such as `00000` or `"PL-"0000`.
 *
 * @param code the format code of the workbook; `undefined` for a built-in format
 * @param startMs the day 0, in milliseconds since 1970
 */
export function readNumberFormat(
  id: number,
  code: string | undefined,
  startMs: number,
): NumberFormat | undefined {
  const [section = ''] = (code ?? builtIn[id] ?? '').split(';');
  // Ignores texts, colors, currencies and conditions, but not elapsed hours.
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
/** Day 0 of a workbook, and of one from an old Mac. */
export const start1900Ms = Date.UTC(1899, 11, 30);
export const start1904Ms = Date.UTC(1904, 0, 1);

function showTime(
  serial: number,
  startMs: number,
  { hasDate, hasTime, isElapsed }: { hasDate: boolean; hasTime: boolean; isElapsed: boolean },
): string | undefined {
  // The last day is 9999-12-31.
  if (!(serial >= 0 && serial < 2_958_466)) return undefined;
  const ms = Math.round(serial * 86_400) * 1000;
  const seconds = ms / 1000;
  if (isElapsed) return `${Math.floor(seconds / 3600)}:${new Date(ms).toISOString().slice(14, 19)}`;
  // Lotus 1-2-3 treated 1900 as a leap year.
  const missing = serial < 60 && startMs !== start1904Ms ? dayMs : 0;
  const text = new Date(startMs + ms + missing).toISOString();
  const time = text.slice(11, seconds % 60 === 0 ? 16 : 19);
  const isMidnight = hasDate && seconds % 86_400 === 0;
  return [...(hasDate ? [text.slice(0, 10)] : []), ...(hasTime && !isMidnight ? [time] : [])].join(' ');
}

/** Replaces the zeros of a format with digits, from the last one. */
function fillIn(format: string, digits: string): string {
  const parts = format.match(/0|"[^"]*"|\\.|./g) ?? [];
  const zeros = parts.filter((part) => part === '0').length;
  const filled = digits.padStart(zeros, '0');
  let place = 0;
  return parts
    .map((part) => {
      if (part.startsWith('"')) return part.slice(1, -1);
      if (part.startsWith('\\')) return part.slice(1);
      if (part !== '0') return part;
      const from = place;
      place += from === 0 ? filled.length - zeros + 1 : 1;
      return filled.slice(from, place);
    })
    .join('');
}
