/**
 * Converts a number as people type or paste it to ASCII: digits of any script, signs and separators. Removes surrounding white space and
 * invisible characters, such as text direction marks.
 */
export function toAsciiNumber(text: string): string {
  // A fast path: most numbers are ASCII, and a file may have a million.
  if (/^[\x20-\x7E]*$/.test(text)) return text.trim();
  return text
    .replaceAll(/\p{Cf}/gu, '')
    .trim()
    .replace(/^[\u2010-\u2013\u2212\uFE63\uFF0D]/u, '-')
    .replace(/^[\uFE62\uFF0B]/u, '+')
    .replaceAll(/[\u066B\uFF0E]/gu, '.')
    .replaceAll(/[\u066C\uFF0C]/gu, ',')
    .replaceAll(/\p{Nd}/gu, toAsciiDigit);
}

/** In Unicode, the digits 0 to 9 of a script are consecutive. Several sets of digits may follow each other, hence the remainder. */
function toAsciiDigit(digit: string): string {
  const codePoint = digit.codePointAt(0) ?? 0;
  let firstZero = codePoint;
  while (/\p{Nd}/u.test(String.fromCodePoint(firstZero - 1))) firstZero--;
  return String((codePoint - firstZero) % 10);
}
