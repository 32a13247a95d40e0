import { expect, it } from 'vitest';
import { noTexts } from '../../shared/fields.js';
import { checkDraft, isDraftOf } from './draft.js';

it.each([
  [' 42\t', 42n],
  ['+7', 7n],
  ['-0', 0n],
  ['007', 7n],
  [`${'0'.repeat(1_000)}9223372036854775807`, 9223372036854775807n],
  ['-9223372036854775808', -9223372036854775808n],
  ['٤٢', 42n],
  ['１２３', 123n],
  ['−७', -7n],
  ['\u200e42\ufeff', 42n],
  ['9\u00a0007\u202f199 254\u2009740\u00a0993', 9007199254740993n],
  ["1'000’000", 1_000_000n],
  ['9007199254740993', 9007199254740993n],
])('reads the id %j with every digit', async (id, expected) => {
  const { plant } = await checkDraft({ ...noTexts, id, name: 'Rose' });
  expect(plant).toEqual({ id: expected, name: 'Rose' });
});

const tooLong = 'ID is too large: use up to 18 digits.';
const noDigits = 'ID must be a whole number, such as 42 or -7.';
const separated = 'ID must not have separators between the digits.';

it.each([
  ...['9223372036854775808', '9'.repeat(100_000)].map((id) => [id, tooLong] as const),
  ['-9223372036854775809', tooLong.replace('large', 'small')] as const,
  ...['1.5', '1e3', '0x10', 'abc', '--1', '12 34', '²', '四'].map((id) => [id, noDigits] as const),
  // In another country it is 1.
  ...['1,000', '1.000', '-1.000.000', '١٬٠٠٠'].map((id) => [id, separated] as const),
])('rejects the id %j in words that say what to do', async (id, problem) => {
  expect(await checkDraft({ ...noTexts, id, name: 'Rose' })).toEqual({ problems: { id: problem } });
});

it('leaves out the space that a phone adds after a suggested word, unless the plant had it, and keeps other text', async () => {
  const draft = { ...noTexts, id: '1', name: ' Rosa \u00e9 ', tag: ' ' };
  expect((await checkDraft(draft)).plant).toEqual({ id: 1n, name: ' Rosa \u00e9', tag: ' ' });
  expect((await checkDraft(draft, { name: draft.name })).plant?.name).toBe(draft.name);
});

it('reports every problem of each field', async () => {
  expect((await checkDraft({ ...noTexts, id: ' ' })).problems).toEqual({
    id: 'ID is required.',
    name: 'Name is required.',
  });
  const { problems } = await checkDraft({ ...noTexts, id: '1', name: '\0\ud800', tag: '\0' });
  expect(problems).toEqual({
    name: 'Name must not contain the NUL character (U+0000); must not contain an unpaired surrogate.',
    tag: 'Tag must not contain the NUL character (U+0000).',
  });
});

it.each([
  [{ id: '7', name: 'Rose' }, true],
  [{ id: ' 007', name: 'Rose' }, true],
  [{ id: '8', name: 'Rose' }, false],
  [{ id: '٧', name: 'Rose ' }, true],
  [{ id: '7', name: ' Rose' }, false],
  [{ id: '7', name: 'Rose', tag: 'shrub' }, false],
  [{ id: 'x', name: 'Rose' }, false],
])('%j holds the plant 7, Rose: %s', (draft, expected) => {
  expect(isDraftOf({ ...noTexts, ...draft }, { id: 7n, name: 'Rose' })).toBe(expected);
});
