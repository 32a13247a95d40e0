/** Shortens a text for a quote in a message, and adds an ellipsis. Does not split a code point. */
export function shorten(text: string, maxLength = 120): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
