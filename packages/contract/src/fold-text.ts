/**
 * Folds a text for search, regardless of the locale. Ignores case in every script (`ß` is `ss`, `ς` is `σ`), the difference between
 * composed and decomposed letters, and the differences among `i` and the Turkish `ı` and `İ`. Letters with and without an accent stay
 * different.
 */
export function foldText(text: string): string {
  return [...partsOf(text)].map(foldPart).join('');
}

/**
 * Searches a text for a folded text. Yields between parts of the text, so that the caller can interrupt the search of a long text.
 *
 * @returns whether the text, once folded, contains `folded`
 */
export function* searchText(text: string, folded: string): Generator<undefined, boolean> {
  // The end of the text searched so far: a match can begin there and end in the next part.
  let overlap = '';
  for (const part of partsOf(text)) {
    const searched = overlap + foldPart(part);
    if (searched.includes(folded)) return true;
    overlap = folded.length > 1 ? searched.slice(1 - folded.length) : '';
    yield;
  }
  return false;
}

/** Whether a text, once folded, contains `folded`. */
export function hasText(text: string, folded: string): boolean {
  const search = searchText(text, folded);
  let step = search.next();
  while (!step.done) step = search.next();
  return step.value;
}

function foldPart(text: string): string {
  // A fast path that takes a tenth of the time: Latin-1 has no decomposed letters.
  if (!/[\u0100-\uffff]/.test(text)) return text.toLowerCase().replaceAll('ß', 'ss').replaceAll('µ', 'μ');
  // Lowercase first, because only then ẞ becomes SS; and decompose first, because otherwise some letters that differ only in case, such as
  // ᾼ and ᾳ, would stay different.
  const folded = limitMarks(text).normalize('NFD').toLowerCase().toUpperCase().toLowerCase();
  return folded.replaceAll('ς', 'σ').replaceAll('i\u0307', 'i').normalize('NFC');
}

/**
 * The maximum number of marks that stay together after a letter (Unicode Standard Annex 15, section 13, "Stream-Safe Text Format").
 * `tooManyMarks` has the same number.
 */
const maxMarks = 30;
const tooManyMarks = /([\p{M}\u1160-\u11ff]{30})([\p{M}\u1160-\u11ff])/gu;

/**
 * Divides long runs of marks with U+034F, because sorting a letter's marks takes quadratic time. Normalization does not move marks across
 * U+034F.
 */
function limitMarks(text: string): string {
  return text.length > maxMarks ? text.replace(tooManyMarks, '$1\u034f$2') : text;
}

/** The maximum length of a part, in UTF-16 code units. */
const partLength = 1_024;

/** Divides a text at the start of letters, so that folding the parts equals folding the whole. An empty text has one part. */
function* partsOf(text: string): Generator<string> {
  let start = 0;
  while (text.length - start > partLength) {
    let end = start + partLength;
    while (end > start && continuesLetter(text, end)) end--;
    // A long run of marks is divided anyway, but not within a code point.
    if (end === start)
      end += /[\udc00-\udfff]/.test(text.charAt(start + partLength)) ? partLength - 1 : partLength;
    yield text.slice(start, end);
    start = end;
  }
  yield text.slice(start);
}

/**
 * Whether the code unit at an index belongs to the previous letter: a mark, a vowel or final consonant of Hangul, or half of a code point.
 */
function continuesLetter(text: string, index: number): boolean {
  return /^[\p{M}\u1160-\u11ff\udc00-\udfff]/u.test(text.slice(index, index + 2));
}
