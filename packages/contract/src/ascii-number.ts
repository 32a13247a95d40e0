/**
 * Converts to ASCII a number that a person typed or pasted: digits in any script, signs, and separators. Removes surrounding white space,
 * and invisible characters such as text direction marks.
 */
export function toAsciiNumber(text: string): string {
  // Most numbers are already ASCII, and a file may contain a million of them.
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

/**
 * Converts a digit in any script to ASCII. In Unicode, a script's digits 0 to 9 are consecutive. One set of digits may directly follow another,
 * so the distance from the first zero can exceed 9.
 */
function toAsciiDigit(digit: string): string {
  const codePoint = digit.codePointAt(0) ?? 0;
  let firstZero = codePoint;
  while (/\p{Nd}/u.test(String.fromCodePoint(firstZero - 1))) firstZero--;
  return String((codePoint - firstZero) % 10);
}
