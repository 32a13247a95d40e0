import { escapeInvisible } from '@plant-store/contract/escape-invisible';
import { shorten } from '@plant-store/contract/messages';

/**
 * A text for display, truncated if it is long. Invisible characters are escaped as on the command line and in JSON; a text of only spaces
 * is described in words. An empty text stays empty.
 *
 * @param keepsLines whether it is displayed with line feeds and tabs
 */
export function toVisible(text: string, maxLength?: number, keepsLines = false): string {
  if (text !== '' && text.trim() === '' && !/[\p{Cc}\u2028\u2029]/u.test(text)) {
    return `(only spaces: ${text.length.toLocaleString()})`;
  }
  return escapeInvisible(shorten(text, maxLength), 'writing', ...(keepsLines ? (['lines'] as const) : []));
}
