import { escapeInvisible } from '@plant-store/contract/escape-invisible';
import { shorten } from '@plant-store/contract/messages';

/**
 * Formats a text for display. Truncates long texts, escapes invisible characters as the command line does, and describes a text of only
 * spaces in words. An empty text stays empty.
 *
 * @param keepsLines whether to keep line feeds and tabs
 */
export function toVisible(text: string, maxLength?: number, keepsLines = false): string {
  if (text !== '' && text.trim() === '' && !/[\p{Cc}\u2028\u2029]/u.test(text)) {
    return `(only spaces: ${text.length.toLocaleString()})`;
  }
  return escapeInvisible(shorten(text, maxLength), 'writing', ...(keepsLines ? (['lines'] as const) : []));
}
