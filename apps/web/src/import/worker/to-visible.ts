import { shorten } from '@plant-store/contract/messages';

/** A text for showing: cut off where it is long, with its control characters as the pictures of Unicode. */
export function toVisible(text: string, longest = 200): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is replaced
  return shorten(text, longest).replace(/[\0-\x1f]/g, (character) =>
    String.fromCharCode(0x2400 + character.charCodeAt(0)),
  );
}
