import { describe, expect, it } from 'vitest';
import { escapeForTerminal, escapeInvisible } from './escape-invisible.js';

const hidden = /[\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Cc}\p{Cs}\p{Zl}\p{Zp}]/u;
const codePoints = Array.from({ length: 0x110000 }, (_, codePoint) => String.fromCodePoint(codePoint));
const hiddenOnes = codePoints.filter((character) => hidden.test(character));

describe('shows all characters that Unicode calls invisible or reordering, and changes no other', () => {
  it.each([[], ['writing']] as const)('alone: %j', (...keep) => {
    const wrong = codePoints.filter((character) => {
      const shown = escapeInvisible(character, ...keep);
      const isHidden = hidden.test(character) || /[\ufff9-\ufffb]/.test(character);
      return isHidden ? !/^(\\u[0-9a-f]{4}){1,2}$/.test(shown) : shown !== character;
    });
    expect(wrong).toEqual([]);
  });

  it.each(['a', 'ش', 'न', '葛', '❤', '1'])('within a name, next to %s', (neighbor) => {
    const wrong = hiddenOnes.filter((character) =>
      hidden.test(escapeInvisible(`${neighbor}${character}${character}${neighbor}`)),
    );
    expect(wrong).toEqual([]);
  });
});

it('shows two names identically only if they are the same', () => {
  const names = hiddenOnes.map((character) => `a${character}b`);
  const texts = names.map((name) => escapeInvisible(name));
  const all = [...names, ...texts, 'ab'];
  expect(new Set(all.map((name) => escapeInvisible(name))).size).toBe(all.length);
});

it.each([
  ['Persian', 'گل‌ها می‌روند'],
  ['Persian with vowels', 'مِی‌خواهم'],
  ['Hindi', 'क्‍ष, क्‌ष'],
  ['Malayalam, at the end of a word', 'അവന്‍'],
  ['a heart', '❤️'],
  ['a family', '👩🏽‍🌾👨‍👩‍👧'],
  ['a keycap', '1️⃣'],
  ['a flag of a region', '🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
  ['a variant of a Han character', '葛󠄀'],
])('does not escape %s, except in a name that must be unambiguous', (_, text) => {
  expect(escapeInvisible(text, 'writing')).toBe(text);
  expect(escapeInvisible(text)).toMatch(/\\u(200[cd]|fe0f|db40)/);
});

it.each([
  ['a\u200db', 'a\\u200db'],
  ['گل\u200c', 'گل\\u200c'],
  ['گل\u200c\u200cها', 'گل\\u200c\\u200cها'],
  ['❤\ufe0f\ufe0f', '❤\ufe0f\\ufe0f'],
  ['a\ufe0f', 'a\\ufe0f'],
  ['❤\u200d', '❤\\u200d'],
  ['ش\u061cش', 'ش\\u061cش'],
  ['🏴\u{e0067}', '🏴\\udb40\\udc67'],
  ['\u{e0100}', '\\udb40\\udd00'],
])('does not treat hidden text as writing: %j', (text, shown) => {
  expect(escapeInvisible(text, 'writing')).toBe(shown);
});

it('keeps line breaks where they are displayed', () => {
  expect(escapeInvisible('a\n\tb\r\u2028\u202e', 'lines')).toBe('a\n\tb\\u000d\\u2028\\u202e');
});

it('does not escape a text twice if escapes are kept', () => {
  const shown = escapeInvisible('C:\\users\u202e\n', 'escapes');
  expect(shown).toBe('C:\\users\\u202e\\u000a');
  expect(escapeInvisible(shown, 'escapes')).toBe(shown);
});

it('leaves JSON on a terminal the same JSON', () => {
  const value = { name: 'a\u202eb\\u202e\u{e0067}\u0085\n' };
  const shown = escapeForTerminal(`${JSON.stringify(value)}\r\n`);
  expect(shown.trim()).not.toMatch(hidden);
  expect(JSON.parse(shown)).toEqual(value);
  expect(escapeForTerminal('a\r')).toBe('a\\u000d');
});
