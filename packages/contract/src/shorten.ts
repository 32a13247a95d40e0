/** Shortens a text that a message quotes. Adds an ellipsis if it cuts anything, and never splits a code point. */
export function shorten(text: string, maxLength = 120): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
