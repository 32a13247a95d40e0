import { shorten } from '@plant-store/contract/messages';

/**
 * A text for showing, cut off where it is long: control characters, and those that turn the direction of text, as the command line and
 * JSON write them; one of spaces alone in words. An empty one stays empty.
 *
 * @param keepsLines whether what shows it begins lines at line feeds and has tabs
 */
export function toVisible(text: string, maxLength?: number, keepsLines = false): string {
  if (text !== '' && text.trim() === '' && !/[\p{Cc}\u2028\u2029]/u.test(text)) {
    return `(only spaces: ${text.length.toLocaleString()})`;
  }
  return shorten(text, maxLength).replace(/[\p{Cc}\u2028-\u202e\u2066-\u2069]/gu, (character) =>
    keepsLines && '\n\t'.includes(character)
      ? character
      : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
