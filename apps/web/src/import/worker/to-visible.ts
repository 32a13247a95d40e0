/** A text for showing: cut off where it is long, with its control characters as the pictures of Unicode. */
export function toVisible(text: string, longest = 200): string {
  const start = text.length > longest ? `${text.slice(0, longest).replace(/[\uD800-\uDBFF]$/, '')}…` : text;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced
  return start.replace(/[\0-\x1f]/g, (character) => String.fromCharCode(0x2400 + character.charCodeAt(0)));
}
