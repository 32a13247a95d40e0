import fc from 'fast-check';

/** Stands for an id that no other request has; `fillIds` replaces it by digits. */
export const uniqueId = '@@';

/** The same in a batch, whose plants may have several. */
export const ownId = fc.constantFrom(uniqueId, '@1@', '@2@', '@3@', '@4@', '@5@', '@6@');

/** Stands for an id that many requests have: mostly for one of those in flight, sometimes for one of long before. */
export const sharedId = fc
  .tuple(
    fc.constantFrom('', '', '-'),
    fc.oneof({ weight: 9, arbitrary: fc.integer({ min: 1, max: 4 }) }, fc.integer({ min: 1, max: 100 })),
  )
  .map(([sign, age]) => `${sign}@-${age}@`);

/** The ids of a request, by their places: from 0 its own ones, below the shared ones, the latest first. */
export type RequestIds = (place: number) => bigint;

/** Fills in the digits of ids. */
export function fillIds(text: string, ids: RequestIds): string {
  return text.replace(/@(-?\d{1,3})?@/g, (_, place = 0) => String(ids(Number(place))));
}

const digits = fc.stringMatching(/^\d{1,25}$/);
const hex = fc.stringMatching(/^[\da-fA-F]{4}$/);

/** A JSON number as RFC 8259, section 6, spells it: any size, exponents, negative zero. */
const validNumber = fc.oneof(
  fc.integer().map(String),
  fc.constantFrom('0', '-0', '0.0', '1e0', '-1E+2', '1.5', '100e-2', '0e999999999999', '1e-400', '1e400'),
  fc
    .tuple(fc.constantFrom('', '-'), digits, fc.constantFrom('', '.0', '.50', 'e3', 'E-2', 'e+18', '.25e2'))
    .map(([sign, integer, rest]) => `${sign}${integer.replace(/^0+(?=\d)/, '')}${rest}`),
);

/** What other languages take for a number, and JSON does not. */
const invalidNumber = fc.constantFrom(
  ...[
    '01',
    '-01',
    '+1',
    '.5',
    '1.',
    '-',
    '1e',
    '1e+',
    '0x1F',
    'NaN',
    'Infinity',
    '-Infinity',
    '1_000',
    '1n',
    '٣',
  ],
);

/** The borders of int64, and of the integers that a double holds exactly. */
export const borderId = fc.constantFrom(
  ...['9223372036854775807', '-9223372036854775808', '9223372036854775808', '-9223372036854775809'],
  ...[
    '9007199254740991',
    '9007199254740992',
    '9007199254740993',
    '-9007199254740993',
    '18446744073709551615',
  ],
  ...[
    '9.223372036854775807e18',
    '922337203685477580.7e1',
    '-92233720368547758080e-1',
    '2147483648',
    '1e18',
    '1e19',
  ],
  ...['0', '-0', '0.0', '-1', '1', '4294967296', '1.0000000000000000001'],
);

/** One to a few characters inside the quotes of a valid string. */
const validPiece = fc.oneof(
  { weight: 60, arbitrary: fc.stringMatching(/^[ !#-[\]-~]{0,12}$/) },
  {
    weight: 20,
    arbitrary: fc
      .string({ unit: 'binary', minLength: 1, maxLength: 4 })
      .map((text) => JSON.stringify(text).slice(1, -1)),
  },
  { weight: 20, arbitrary: fc.constantFrom('\\n', '\\t', '\\"', '\\\\', '\\/', '\\b', '\\f', '\\r') },
  {
    weight: 10,
    arbitrary: fc.constantFrom('é', 'é', 'ﬁ', '🌱', '👩‍🌾', '\u2028', '\ufeff', '\u007f', '\uffff'),
  },
  { weight: 10, arbitrary: fc.tuple(hex).map(([code]) => `\\u${code}`) },
  { weight: 10, arbitrary: fc.constantFrom('\\ud83c\\udf31', '\\uD834\\uDD1E', '\\u0041', '\\u00e9') },
);

/** Pieces that make a name invalid, or the whole body. */
const invalidPiece = fc.constantFrom(
  ...['\\u0000', '\\ud800', '\\udc00\\ud800', '\\udfff', 'a\\uD83Cb', '\0', '\n', '\t', '\u001f'],
  ...['\\x41', "\\'", '\\u12', '\\u00g0', '\\', '\\U0041', '\\0'],
);

const joined = (pieces: fc.Arbitrary<string>, maxLength: number) =>
  fc.array(pieces, { maxLength }).map((parts) => `"${parts.join('')}"`);

/** A string literal that a plant may have. */
export const validString = joined(validPiece, 4);

/** A string literal, of which some are not valid, and some are long. */
export const anyString = fc.oneof(
  { weight: 80, arbitrary: validString },
  { weight: 20, arbitrary: joined(fc.oneof(validPiece, invalidPiece), 4) },
  { weight: 10, arbitrary: fc.integer({ min: 1, max: 3000 }).map((length) => `"${'é'.repeat(length)}"`) },
  { weight: 10, arbitrary: fc.constantFrom("'a'", '"a', 'a"', '“a”', '"a""b"') },
);

/** Space between tokens: mostly none, some that JSON does not permit. */
export const space = fc.oneof(
  { weight: 300, arbitrary: fc.constantFrom('', '', '', ' ') },
  { weight: 40, arbitrary: fc.constantFrom('\n', '\r\n', '\t', '  \n\t') },
  { weight: 2, arbitrary: fc.constantFrom('\v', '\f', '\u00a0', '\ufeff', '/**/', '//\n', '\u2028', '\0') },
);

const scalar = fc.oneof(
  { weight: 40, arbitrary: validNumber },
  { weight: 40, arbitrary: validString },
  { weight: 30, arbitrary: fc.constantFrom('true', 'false', 'null') },
  { weight: 3, arbitrary: invalidNumber },
  {
    weight: 3,
    arbitrary: fc.constantFrom('True', 'undefined', 'nul', 'tru e', '', ',', '[,]', '{,}', '[1,]'),
  },
);

/** Nesting about the limit of 500 levels, and far past it. */
const deep = fc
  .tuple(fc.constantFrom(1, 100, 497, 498, 499, 500, 501, 2000), fc.constantFrom('[]', '{}', '[}', '[', ']'))
  .map(([levels, [open = '', close = '']]) =>
    open === '{'
      ? `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
      : open.repeat(levels) + close.repeat(levels),
  );

/** Any JSON value, and what only resembles one. */
export const { value: anyValue } = fc.letrec<{
  value: string;
  array: string;
  object: string;
  member: string;
}>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 80, arbitrary: scalar },
    { weight: 10, arbitrary: tie('array') },
    { weight: 10, arbitrary: tie('object') },
    { weight: 3, arbitrary: deep },
  ),
  array: fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
  object: fc.array(tie('member'), { maxLength: 3 }).map((members) => `{${members.join(',')}}`),
  member: fc.tuple(validString, tie('value')).map(([name, value]) => `${name}:${value}`),
}));
