/**
 * A text without what a search does not distinguish: upper and lower case in every script (`ß` is `ss`, `ς` is `σ`), composed and
 * decomposed letters, and the Turkish `ı` and `İ` from `i`. Letters with and without an accent differ. It depends on no locale.
 */
export function foldText(text: string): string {
  return [...partsOf(text)].map(foldPart).join('');
}

/**
 * Whether a text has a folded one as a part once it is folded, too. A long one takes long, so this gives way now and then.
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

/** Whether a text contains a folded one once it is folded, too. */
export function hasText(text: string, folded: string): boolean {
  const search = searchText(text, folded);
  let step = search.next();
  while (!step.done) step = search.next();
  return step.value;
}

function foldPart(text: string): string {
  // Latin-1 has no decomposed letters. This takes a tenth of the time.
  if (!/[\u0100-\uffff]/.test(text)) return text.toLowerCase().replaceAll('ß', 'ss').replaceAll('µ', 'μ');
  // Only from lower case ẞ becomes SS, and only of decomposed letters all become one again that differ in case alone, such as ᾼ and ᾳ.
  const folded = limitMarks(text).normalize('NFD').toLowerCase().toUpperCase().toLowerCase();
  return folded.replaceAll('ς', 'σ').replaceAll('i\u0307', 'i').normalize('NFC');
}

/** How many marks of one letter stay together (Unicode Standard Annex 15, section 13, "Stream-Safe Text Format"). */
const maxMarks = 30;
const tooManyMarks = /([\p{M}\u1160-\u11ff]{30})([\p{M}\u1160-\u11ff])/gu;

/**
 * Divides long runs of marks by U+034F, across which none is moved: to put the marks of one letter in order takes a time that grows
 * with the square of their number.
 */
function limitMarks(text: string): string {
  return text.length > maxMarks ? text.replace(tooManyMarks, '$1\u034f$2') : text;
}

/** How long a part is, at most, in UTF-16 code units. */
const partLength = 1_024;

/** Divides a text before letters, where its parts are folded as the whole would be. An empty one has one part. */
function* partsOf(text: string): Generator<string> {
  let start = 0;
  while (text.length - start > partLength) {
    let end = start + partLength;
    while (end > start && continues(text, end)) end--;
    // Within a longer run of marks, which is divided anyway, but not within a code point.
    if (end === start)
      end += /[\udc00-\udfff]/.test(text.charAt(start + partLength)) ? partLength - 1 : partLength;
    yield text.slice(start, end);
    start = end;
  }
  yield text.slice(start);
}

/** Whether what is at a place belongs to the letter before: a mark, a vowel or final consonant of Hangul, half of a code point. */
function continues(text: string, at: number): boolean {
  return /^[\p{M}\u1160-\u11ff\udc00-\udfff]/u.test(text.slice(at, at + 2));
}
