import { expect, it } from 'vitest';
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
])('has one form of %j and others of the same text', (text, ...others) => {
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

it('finds a part anywhere in a long text, whose letters are not divided', () => {
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

it('gives way within a long text, and soon has read one that is all marks on one letter', () => {
  const steps = [...searchText(`a${'\u0301\u0323'.repeat(250_000)}`, 'x')];
  expect(steps.length).toBeGreaterThan(400);
});
