/** Shortens a text for quoting, since a name may have a million characters: whole code points, then an ellipsis. */
export function shorten(text: string, maxLength = 120): string {
  if (text.length <= maxLength) return text;
  return `${text.slice(0, maxLength).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
