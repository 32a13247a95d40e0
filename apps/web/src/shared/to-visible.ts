import { escapeInvisible } from '@plant-store/contract/escape-invisible';
import { shorten } from '@plant-store/contract/messages';

/**
 * A text for showing, cut off where it is long: what is invisible in it as the command line and JSON write it; one of spaces alone in
 * words. An empty one stays empty.
 *
 * @param keepsLines whether what shows it begins lines at line feeds and has tabs
 */
export function toVisible(text: string, maxLength?: number, keepsLines = false): string {
  if (text !== '' && text.trim() === '' && !/[\p{Cc}\u2028\u2029]/u.test(text)) {
    return `(only spaces: ${text.length.toLocaleString()})`;
  }
  return escapeInvisible(shorten(text, maxLength), 'writing', ...(keepsLines ? (['lines'] as const) : []));
}
