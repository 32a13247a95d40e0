import { plantFieldNames } from '@plant-store/contract/fields';
import fc from 'fast-check';
import { memberNames, plantWith } from '../../plant.js';
import {
  anyString,
  anyValue,
  borderId,
  fillIds,
  ownId,
  type RequestIds,
  sharedId,
  space,
  uniqueId,
  validString,
} from './json-text.js';

/** A change of bytes: at a place from 0 to 1 of their length. */
export interface Change {
  readonly kind: 'insert' | 'replace' | 'remove' | 'cut' | 'double';
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** A body of a request before its ids are filled in. */
export interface Body {
  readonly text: string;
  readonly changes: readonly Change[];
  /** Spaces that are added in front, to come near the limit of the size. */
  readonly padding: number;
}

/** The limit of bodies that the service is started with: more than a full batch needs. */
export const bodyMaxBytes = 49_152;

const spelledId = fc.constantFrom(uniqueId, `-${uniqueId}`, `${uniqueId}.0`, `${uniqueId}0e-1`);

/** The members of a valid plant. */
const membersOf = (id: fc.Arbitrary<string>, text = validString) =>
  fc
    .tuple(id, plantWith(text), space)
    .map(([id, plant, gap]) => [
      `"id"${gap}:${gap}${id}`,
      ...Object.entries(plant).map(([name, text]) => `${gap}"${name}":${gap}${text}${gap}`),
    ]);

/** Those of one whose id others have, too, some for the same plant. */
const sharedMembers = membersOf(sharedId, fc.constantFrom('"a"', '"a"', '"a"', '"b"'));

const goodMembers = fc.oneof(
  { weight: 120, arbitrary: membersOf(spelledId) },
  { weight: 20, arbitrary: membersOf(borderId) },
  { weight: 40, arbitrary: sharedMembers },
);

/** The names of members, as they are and with their first letter escaped. */
const knownNames = memberNames.flatMap((name) => [
  `"${name}"`,
  `"\\u00${name.charCodeAt(0).toString(16)}${name.slice(1)}"`,
]);

const name = fc.oneof(
  { weight: 40, arbitrary: fc.constantFrom(...knownNames) },
  { weight: 20, arbitrary: fc.constantFrom('"constructor"', '"toString"', '"x"', '""', '"ID"', '"id "') },
  { weight: 10, arbitrary: fc.constantFrom('"__proto__"', '"\\u005f_proto__"', '"hasOwnProperty"') },
  { weight: 10, arbitrary: anyString },
  { weight: 3, arbitrary: fc.constantFrom('id', "'id'", '1', '', 'null', '"id":') },
);

const anyMember = fc
  .tuple(name, space, fc.oneof(anyValue, anyString, borderId, fc.constant(uniqueId)), space)
  .map(([key, before, value, after]) => `${key}${before}:${value}${after}`);

const join = (members: readonly string[], separator = ',') => `{${members.join(separator)}}`;

/** A text that is a plant, or differs from one in a few places. */
const bodyText = fc.oneof(
  { weight: 100, arbitrary: goodMembers.map((members) => join(members)) },
  {
    weight: 60,
    arbitrary: fc
      .tuple(goodMembers, fc.array(anyMember, { minLength: 1, maxLength: 2 }))
      .chain(([good, others]) =>
        fc.shuffledSubarray([...good, ...others], { minLength: good.length + others.length }),
      )
      .map((members) => join(members)),
  },
  {
    weight: 20,
    // A member twice, with the same value.
    arbitrary: fc
      .tuple(goodMembers, fc.nat(plantFieldNames.length))
      .map(([good, index]) => join([...good, good[index] ?? '"x":1'])),
  },
  {
    weight: 20,
    // A member that is ignored, or an array or an object that no member may be, several times.
    arbitrary: fc
      .tuple(
        goodMembers,
        fc.constantFrom('"x"', '"x"', '"plants"', '"plants"', ...knownNames),
        fc.array(anyValue, { maxLength: 3 }),
      )
      .map(([good, key, values]) => join([...values.map((value) => `${key}:${value}`), ...good])),
  },
  { weight: 20, arbitrary: fc.array(anyMember, { maxLength: 4 }).map((members) => join(members)) },
  {
    weight: 5,
    arbitrary: fc.tuple(goodMembers, fc.constantFrom(',,', ';', '', ' ,')).map(([all, by]) => join(all, by)),
  },
  { weight: 5, arbitrary: fc.tuple(goodMembers, anyValue).map(([all, rest]) => `${join(all)}${rest}`) },
  { weight: 10, arbitrary: anyValue },
);

const bytes = fc.oneof(
  { weight: 30, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 3 }) },
  {
    weight: 30,
    arbitrary: fc
      .constantFrom(
        ...[
          'efbbbf',
          'c080',
          'c1bf',
          'eda080',
          'edbfbf',
          'f4908080',
          'f8888080',
          'ff',
          'fe',
          'e282',
          'f09f8c',
        ],
        ...['80', 'bf', '00', 'fffe', 'c3a9', 'f09f8cb1', 'efbfbd', 'e080af', 'f0808080'],
      )
      .map((hex) => Uint8Array.from(Buffer.from(hex, 'hex'))),
  },
  {
    weight: 40,
    arbitrary: fc
      .constantFrom(
        ...['"', '{', '}', '[', ']', ',', ':', '\\', ' ', '\r', '\n', '\r\n', '\0', '0', '-', 'e', '.', '1'],
      )
      .map((text) => Uint8Array.from(Buffer.from(text))),
  },
);

/** Changes of the bytes of a text or of requests. */
export const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.constantFrom('insert', 'replace', 'remove', 'cut', 'double'),
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  bytes,
});

const bodyOf = (text: fc.Arbitrary<string>): fc.Arbitrary<Body> =>
  fc.record({
    text,
    changes: fc.oneof(
      { weight: 50, arbitrary: fc.constant([]) },
      { weight: 10, arbitrary: fc.array(change, { minLength: 1, maxLength: 2 }) },
    ),
    padding: fc.oneof(
      { weight: 600, arbitrary: fc.constant(0) },
      {
        weight: 10,
        arbitrary: fc.constantFrom(bodyMaxBytes - 1, bodyMaxBytes, bodyMaxBytes + 1, 3 * bodyMaxBytes),
      },
    ),
  });

/** A body for a create. */
export const body = bodyOf(bodyText);

const goodItem = fc
  .oneof({ weight: 60, arbitrary: membersOf(ownId) }, { weight: 30, arbitrary: sharedMembers })
  .map((members) => join(members));

const invalidItem = fc.constantFrom(
  ...['null', '[]', '{}', '0', '1.5', '"a"', '{"id":@@}', '{"id":"1","name":"a"}', '{"id":@1@,"name":null}'],
  ...[
    '{"id":1.5,"name":"a"}',
    '{"id":9223372036854775808,"name":"\\u0000"}',
    '{"id":@2@,"name":"a","tag":1}',
  ],
  ...['{"name":"\\ud800","tag":null}', '[{"id":@3@,"name":"a"}]', '{"plants":[{"id":@4@,"name":"a"}]}'],
);

const items = (item: fc.Arbitrary<string>) => fc.array(item, { minLength: 1, maxLength: 8, size: 'max' });
const wrap = (plants: readonly string[]) => `{"plants":[${plants.join(',')}]}`;

/** A text that is a batch, or differs from one in a few places. */
const batchText = fc.oneof(
  { weight: 60, arbitrary: items(goodItem).map(wrap) },
  {
    weight: 60,
    arbitrary: items(
      fc.oneof({ weight: 20, arbitrary: goodItem }, { weight: 8, arbitrary: invalidItem }, bodyText),
    ).map(wrap),
  },
  {
    weight: 6,
    // As many as a batch may have, and more.
    arbitrary: fc
      .tuple(fc.constantFrom(1_000, 1_001, 2_000), fc.constantFrom('0', '{}', `{"id":${uniqueId},"name":""}`))
      .map(([count, item]) => wrap(Array.from({ length: count }, () => item))),
  },
  { weight: 10, arbitrary: anyValue.map((plants) => `{"plants":${plants}}`) },
  {
    weight: 10,
    arbitrary: fc
      .tuple(items(goodItem).map(wrap), fc.array(anyMember, { minLength: 1, maxLength: 2 }))
      .map(([batch, others]) => `${batch.slice(0, -1)},${others.join(',')}}`),
  },
  { weight: 6, arbitrary: fc.constantFrom('{"plants":[]}', '{"plants":null}', '{"Plants":[{}]}', '[]') },
  { weight: 6, arbitrary: items(goodItem).map((plants) => `[${plants.join(',')}]`) },
  { weight: 6, arbitrary: bodyText },
);

/** A body for a batch. */
export const batchBody = bodyOf(batchText);

/** Applies changes one after the other. */
export function applyChanges(original: Buffer, changes: readonly Change[]): Buffer {
  return changes.reduce(applyChange, original);
}

function applyChange(original: Buffer, { kind, at, bytes: added }: Change): Buffer {
  const index = Math.floor(at * original.length);
  const before = original.subarray(0, index);
  const after = original.subarray(index);
  switch (kind) {
    case 'insert':
      return Buffer.concat([before, added, after]);
    case 'replace':
      return Buffer.concat([before, added, after.subarray(added.length)]);
    case 'remove':
      return Buffer.concat([before, after.subarray(added.length)]);
    case 'cut':
      return before;
    case 'double':
      return Buffer.concat([before, after.subarray(0, 8), after]);
  }
}

/** The bytes of a body, of the given length at least, with its ids in digits. */
export function renderBody({ text, changes, padding }: Body, ids: RequestIds): Buffer {
  const filled = Buffer.from(fillIds(text, ids));
  return applyChanges(
    Buffer.concat([Buffer.alloc(Math.max(0, padding - filled.length), ' '), filled]),
    changes,
  );
}
