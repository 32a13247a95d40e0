/**
 * Folds a text for search: ignores case in every script (`ß` is `ss`, `ς` is `σ`), composed and decomposed letters, and the difference of
 * the Turkish `ı` and `İ` from `i`. Letters with and without an accent differ. It does not depend on the locale.
 */
export function foldText(text: string): string {
  return [...partsOf(text)].map(foldPart).join('');
}

/**
 * Whether a folded text contains another folded text. A generator that yields occasionally, because long texts take long.
 *
 * @param folded see `foldText`
 */
export function* searchText(text: string, folded: string): Generator<undefined, boolean> {
  let end = '';
  for (const part of partsOf(text)) {
    const searched = end + foldPart(part);
    if (searched.includes(folded)) return true;
    end = folded.length > 1 ? searched.slice(1 - folded.length) : '';
    yield;
  }
  return false;
}

/** Whether a text, once folded, contains a folded text. */
export function hasText(text: string, folded: string): boolean {
  const search = searchText(text, folded);
  let step = search.next();
  while (!step.done) step = search.next();
  return step.value;
}

function foldPart(text: string): string {
  // Latin-1 has no decomposed letters. This takes a tenth of the time.
  if (!/[\u0100-\uffff]/.test(text)) return text.toLowerCase().replaceAll('ß', 'ss').replaceAll('µ', 'μ');
  // Lowercase first, because only then ẞ becomes SS; and decompose first, because otherwise some letters that differ only in case, such as
  // ᾼ and ᾳ, would stay different.
  const folded = limitMarks(text).normalize('NFD').toLowerCase().toUpperCase().toLowerCase();
  return folded.replaceAll('ς', 'σ').replaceAll('i\u0307', 'i').normalize('NFC');
}

/** How many marks of one letter stay together (Unicode Standard Annex 15, section 13, "Stream-Safe Text Format"). */
const maxMarks = 30;
const tooManyMarks = /([\p{M}\u1160-\u11ff]{30})([\p{M}\u1160-\u11ff])/gu;

/**
 * Divides long runs of marks with U+034F, across which marks are not reordered, because ordering the marks of a letter takes quadratic
 * time.
 */
function limitMarks(text: string): string {
  return text.length > maxMarks ? text.replace(tooManyMarks, '$1\u034f$2') : text;
}

/** The maximum length of a part, in UTF-16 code units. */
const partLength = 1_024;

/** Divides a text before letters, so that folding the parts equals folding the whole. An empty text has one part. */
function* partsOf(text: string): Generator<string> {
  let start = 0;
  while (text.length - start > partLength) {
    let end = start + partLength;
    while (end > start && continues(text, end)) end--;
    // Divides within a long run of marks, which is split anyway, but not within a code point.
    if (end === start)
      end += /[\udc00-\udfff]/.test(text.charAt(start + partLength)) ? partLength - 1 : partLength;
    yield text.slice(start, end);
    start = end;
  }
  yield text.slice(start);
}

/** Whether the code unit at an index belongs to the previous letter: a mark, a vowel or final consonant of Hangul, half of a code point. */
function continues(text: string, at: number): boolean {
  return /^[\p{M}\u1160-\u11ff\udc00-\udfff]/u.test(text.slice(at, at + 2));
}
