/** A text without the space that the keyboard of a phone adds after a suggested word. */
export function withoutLastSpace(text: string): string {
  return /\S $/.test(text) ? text.slice(0, -1) : text;
}
