/** Removes the space that a phone keyboard adds after a suggested word. */
export function withoutLastSpace(text: string): string {
  return /\S $/.test(text) ? text.slice(0, -1) : text;
}
