/**
 * Escapes a text for display: invisible characters, and characters that change the order or the lines of the text around them, become JSON
 * escapes such as `\u202e`. A backslash before a `u` is also escaped, so that escapes in the original text stay distinguishable.
 *
 * Invisible characters are control characters, line separators, unpaired surrogates, bidirectional controls, and default ignorable code
 * points of Unicode, such as zero-width spaces, tags, variation selectors, and Hangul fillers.
 *
 * @param keep what not to escape: `lines` are line feeds and tabs, `escapes` are backslashes, and `writing` are the joiners and selectors
 * that scripts and emoji need, so that words in Persian or Hindi stay readable. Without any of these, two different texts always look
 * different, except for similar letters and spaces.
 */
export function escapeInvisible(text: string, ...keep: readonly ('lines' | 'escapes' | 'writing')[]): string {
  const isKept = (match: string) =>
    match === '\\' ? keep.includes('escapes') : /[\n\t]/.test(match) && keep.includes('lines');
  return text.replace(
    keep.includes('writing') ? invisibleUnlessWriting : invisible,
    (match: string, ...[writing]: readonly unknown[]) =>
      typeof writing === 'string' || isKept(match) ? match : toEscapes(match),
  );
}

/** Escapes text for a terminal. Keeps everything that `escapeInvisible` can keep, so that lines of JSON stay the same JSON. */
export function escapeForTerminal(text: string): string {
  return text.replace(/\r\n|\r|[^\r]+/g, (part) =>
    part === '\r\n' ? part : escapeInvisible(part, 'lines', 'escapes', 'writing'),
  );
}

const invisible =
  /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]|\\(?=u)/gu;

/** A joiner or non-joiner between letters of scripts with joined forms, or a joiner after a virama. */
const joiner =
  /(?=[\p{L}\p{M}])[\p{scx=Arab}\p{scx=Syrc}\p{scx=Nkoo}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Mymr}\p{scx=Tibt}][\u200c\u200d](?=[\p{L}\p{M}])|[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca]\u200d/u;

/** An emoji sequence: a flag of a region, a keycap, or joined emoji (UTS #51, section 1.4.9). */
const emoji =
  /\u{1f3f4}[\u{e0030}-\u{e0039}\u{e0061}-\u{e007a}]{1,6}\u{e007f}|[#*0-9]\ufe0f\u20e3|\p{Extended_Pictographic}(?:[\ufe0e\ufe0f]|\p{Emoji_Modifier})?(?:\u200d\p{Extended_Pictographic}(?:[\ufe0e\ufe0f]|\p{Emoji_Modifier})?)*/u;

const hanVariant = /\p{sc=Han}[\ufe00-\ufe02\u{e0100}-\u{e01ef}]/u;

const invisibleUnlessWriting = new RegExp(
  `(${emoji.source}|${joiner.source}|${hanVariant.source})|${invisible.source}`,
  'gu',
);

/** Escapes each UTF-16 code unit, as JSON does. */
function toEscapes(character: string): string {
  return character
    .split('')
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .join('');
}
