/**
 * A number as people type or paste it, in ASCII: digits of any script, signs and separators, and without white space around it or
 * characters that nobody sees, such as those that set the direction of text.
 */
export function toAsciiNumber(text: string): string {
  // Most are in ASCII already, and a file may have a million.
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

/** The digits of each script are in a row in Unicode, from 0 to 9, and so are the rows beside each other. */
function toAsciiDigit(digit: string): string {
  const codePoint = digit.codePointAt(0) ?? 0;
  let before = codePoint;
  while (/\p{Nd}/u.test(String.fromCodePoint(before - 1))) before--;
  return String((codePoint - before) % 10);
}
