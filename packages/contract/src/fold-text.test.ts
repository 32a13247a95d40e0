import fc from 'fast-check';
import { expect, it, vi } from 'vitest';
import { foldText, hasText, searchText } from './fold-text.js';

it.each([
  ['Äpfelbaum', 'äpfelbaum', 'ÄPFELBAUM', 'A\u0308PFELBAUM'],
  ['straße', 'STRASSE', 'STRAẞE', 'Strasse'],
  ['ΟΔΥΣΣΕΥΣ', 'οδυσσευς', 'οδυσσευσ', 'Οδυσσευς'],
  ['ᾼ', 'ᾳ', 'ΑΙ', 'α\u0345'],
  ['istanbul', 'ISTANBUL', 'İSTANBUL', 'ıstanbul', 'I\u0307stanbul'],
  ['Ångström', 'ÅNGSTRÖM', '\u212bngström', 'a\u030angstro\u0308m'],
  ['ﬁg', 'FIG', 'Fig'],
  ['ДУБ', 'дуб'],
  ['한', '\u1112\u1161\u11ab'],
  ['q\u0323\u0307', 'Q\u0307\u0323'],
  ['5 µm', '5 μM'],
])('gives %j and equivalent texts one form', (text, ...others) => {
  for (const other of others) expect(foldText(other)).toBe(foldText(text));
});

it.each([
  ['a', 'ä'],
  ['o', 'ø'],
  ['%', '_'],
  ['a b', 'ab'],
  ['は', 'ハ'],
  ['е', 'e'],
])('distinguishes %j from %j', (text, other) => {
  expect(foldText(text)).not.toBe(foldText(other));
});

it('is the same in either case, decomposed, folded again, and beside any letter, for every character', () => {
  const differing: string[] = [];
  for (let code = 0; code <= 0x1ffff; code++) {
    const character = String.fromCodePoint(code);
    if (/[\p{Script=Han}\p{Cn}\p{Co}\p{Cs}]/u.test(character)) continue;
    const folded = foldText(character);
    const same = [character.toLowerCase(), character.toUpperCase(), character.normalize('NFD'), folded];
    if (same.some((text) => foldText(text) !== folded) || foldText(`${character}苗`) !== `${folded}苗`)
      differing.push(code.toString(16));
  }
  expect(differing).toEqual([]);
});

it('finds a part anywhere in a long text, but does not divide letters', () => {
  for (let length = 990; length < 1_060; length++) {
    for (const part of ['X\u0323\u0301', '한', '\u1112\u1161\u11ab', '🌱', 'ß', 'ab', 'I\u0307']) {
      const text = `${'苗'.repeat(length)}${part}苗`;
      for (const found of [part, `苗${part}`, `${part}苗`]) expect(hasText(text, foldText(found))).toBe(true);
      expect(foldText(text)).toBe(`${'苗'.repeat(length)}${foldText(part)}苗`);
      expect(hasText(text, foldText(`${part}${part}`))).toBe(false);
    }
  }
});

it('finds the empty text in any', () => {
  for (const text of ['', 'a', 'é'.repeat(5_000)]) expect(hasText(text, '')).toBe(true);
  expect(hasText('', 'a')).toBe(false);
});

/** Folds a text as a whole, without parts. */
function foldWhole(text: string): string {
  const folded = text.normalize('NFD').toLowerCase().toUpperCase().toLowerCase();
  return folded.replaceAll('ς', 'σ').replaceAll('i\u0307', 'i').normalize('NFC');
}

const marks = fc.array(fc.constantFrom('\u0301', '\u0316', '\u0323', '\u0345', '\u{1d165}', '\u05b0'), {
  maxLength: 30,
});
const letters = fc.constantFrom(...'aéΩßI苗한🌱', '\u1112\u1161\u11ab', 'x'.repeat(1_010));
const word = fc.tuple(letters, marks).map(([letter, own]) => letter + own.join(''));
const text = fc.array(word, { maxLength: 60 }).map((words) => words.join(''));

it('folds a text with up to 30 marks per letter as a whole, and finds its parts', () => {
  fc.assert(
    fc.property(text, word, text, (before, found, after) => {
      const whole = before + found + after;
      expect(foldText(whole)).toBe(foldWhole(whole));
      for (const part of [found, found + after, before + found])
        expect(hasText(whole, foldText(part))).toBe(true);
      expect(hasText(whole, `${foldText(found)}~`)).toBe(false);
    }),
  );
});

it.each([
  ['marks in order', `a${'\u0301'.repeat(511)}${'\u0316'.repeat(512)}`.repeat(100)],
  ['marks on one letter', `a${'\u0301\u0323'.repeat(50_000)}`],
  ['marks without a letter', '\u0323\u0301'.repeat(50_000)],
  ['marks beyond the first 65,536 characters', '\u{1d165}\u{1d16d}'.repeat(25_000)],
  ['vowels of Hangul', '\u1161'.repeat(100_000)],
  ['letters with a mark each', 'a\u0316'.repeat(50_000)],
])('yields within a long text, and does not order long runs of marks: %s', (_, long) => {
  const normalize = vi.spyOn(String.prototype, 'normalize');
  const steps = [...searchText(long, 'x')].length;
  const normalized = normalize.mock.contexts.map(String);
  normalize.mockRestore();
  expect(steps).toBeGreaterThan(long.length / 2_000);
  expect(steps).toBeLessThan(long.length / 500);
  expect(normalized.join('').length).toBeLessThan(3 * long.length);
  // Of characters that are decomposed into marks there are more, but no more than some.
  for (const part of normalized) expect(part).not.toMatch(/(?:(?!\u034f)\p{M}){100}/u);
});
