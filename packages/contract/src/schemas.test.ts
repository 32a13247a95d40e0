import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { parseExactJson } from './exact-json/parse.js';
import { INT64_MAX, INT64_MIN } from './int64.js';
import { MAX_PLANTS, QUERY_MAX_LENGTHS } from './limits.js';
import {
  Int64ParameterSchema,
  Int64Schema,
  jsonShapeOf,
  NewPlantSchema,
  NewPlantsSchema,
  PlantQuerySchema,
  PlantSchema,
} from './schemas.js';

const idRange = 'id: must be an integer from -9223372036854775808 to 9223372036854775807';
const rose = { id: 1, name: 'Rose' };

/** Each issue as `field: message`. */
function issuesOf(
  value: unknown,
  schema: typeof NewPlantSchema | typeof PlantSchema = NewPlantSchema,
): string[] {
  const issues = schema.safeParse(value).error?.issues ?? [];
  return issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('the id of a NewPlant', () => {
  it.each([
    ['0', 0n],
    ['-0', 0n],
    ['1.0', 1n],
    ['1e2', 100n],
    ['9007199254740993', 9007199254740993n],
    ['9223372036854775807', 9223372036854775807n],
    ['-9223372036854775808', -9223372036854775808n],
  ])('may be written %s', (id, expected) => {
    expect(NewPlantSchema.parse(parseExactJson(`{"id":${id},"name":"Rose"}`))).toEqual({
      id: expected,
      name: 'Rose',
    });
  });

  it.each([
    '9223372036854775808',
    '-9223372036854775809',
    '1.5',
    '1.0000000000000000001',
    '1e400',
    '"1"',
    '""',
    'null',
    'true',
    '[1]',
    '{}',
  ])('must not be %s', (id) => {
    expect(issuesOf(parseExactJson(`{"id":${id},"name":"Rose"}`))).toEqual([idRange]);
  });
});

describe.each(['name', 'tag'])('the %s of a plant', (field) => {
  it.each(['', ' Rose ', 'Ro\u0301se', 'ﬁ', '玫瑰 🌹', '\u0001\u007f\u2028', '__proto__'])(
    'is kept unchanged: %j',
    (text) => {
      const plant = { ...rose, [field]: text };
      expect(NewPlantSchema.parse(plant)).toEqual({ ...plant, id: 1n });
      expect(PlantSchema.parse(plant)).toHaveProperty(field, text);
    },
  );

  it('may be long', () => {
    const text = '🌹'.repeat(100_000);
    expect(PlantSchema.parse({ ...rose, [field]: text })).toHaveProperty(field, text);
  });

  it.each([
    [null, 'must be a string'],
    [1, 'must be a string'],
    [1n, 'must be a string'],
    [true, 'must be a string'],
    [['Rose'], 'must be a string'],
    [{}, 'must be a string'],
    ['Ro\0se', 'must not contain the character NUL (U+0000)'],
    ['\ud83c', 'must not contain an unpaired surrogate'],
    ['\udf39\ud83c', 'must not contain an unpaired surrogate'],
  ])('must not be %o', (value, message) => {
    expect(issuesOf({ ...rose, [field]: value })).toEqual([`${field}: ${message}`]);
    expect(issuesOf({ ...rose, [field]: value }, PlantSchema)).toEqual([`${field}: ${message}`]);
  });

  it.each([String.raw`"\ud83c"`, String.raw`"\udf39\ud83c"`, String.raw`"\u0000"`])(
    'must not be %s, although it is JSON',
    (text) => {
      const plant = { ...rose, [field]: parseExactJson(text) };
      expect(issuesOf(plant)).toEqual([expect.stringMatching(`^${field}: must not contain `)]);
    },
  );
});

describe('the shape of a NewPlant', () => {
  it('requires id and name, not tag', () => {
    expect(issuesOf({})).toEqual(['id: is required', 'name: is required']);
    expect(issuesOf({ id: 1 })).toEqual(['name: is required']);
    expect(issuesOf({ name: 'Rose' })).toEqual(['id: is required']);
    expect(issuesOf(rose)).toEqual([]);
  });

  it('keeps an absent tag and an empty one apart', () => {
    expect(NewPlantSchema.parse(rose)).not.toHaveProperty('tag');
    expect(NewPlantSchema.parse({ ...rose, tag: '' })).toHaveProperty('tag', '');
  });

  it('reports all issues together', () => {
    expect(issuesOf({ id: '1', name: '\0\ud800', tag: null })).toEqual([
      idRange,
      'name: must not contain the character NUL (U+0000)',
      'name: must not contain an unpaired surrogate',
      'tag: must be a string',
    ]);
  });

  it('ignores fields that it does not know', () => {
    const plant = parseExactJson('{"id":1,"name":"Rose","Tag":null,"price":1e400,"constructor":{"a":[]}}');
    expect(NewPlantSchema.parse(plant)).toEqual({ id: 1n, name: 'Rose' });
  });

  it.each([null, 1, 'Rose', true, [], [rose], undefined])('is not %j', (value) => {
    expect(issuesOf(value)).toEqual([': must be a JSON object']);
  });
});

describe('the shape of a Plant', () => {
  it('requires the name alone and leaves the id out', () => {
    expect(issuesOf({}, PlantSchema)).toEqual(['name: is required']);
    expect(PlantSchema.parse({ id: 1, name: 'Rose', tag: 'shrub' })).toEqual({ name: 'Rose', tag: 'shrub' });
  });
});

function messagesFor(value: unknown): string[] | undefined {
  return Int64Schema.safeParse(value).error?.issues.map((issue) => issue.message);
}

describe('Int64Schema', () => {
  it.each([
    [0, 0n],
    [-0, 0n],
    [-7, -7n],
    [2 ** 53 - 1, 9007199254740991n],
    [5n, 5n],
    [9007199254740993n, 9007199254740993n],
    [INT64_MIN, -9223372036854775808n],
    [INT64_MAX, 9223372036854775807n],
  ])('takes %s and gives a bigint', (value, expected) => {
    expect(Int64Schema.parse(value)).toBe(expected);
  });

  it.each([INT64_MIN - 1n, INT64_MAX + 1n, 1.5, 2 ** 53, Number.NaN, '1', '', true, null, [1], {}])(
    'refuses %o and reports what it takes',
    (value) => {
      expect(messagesFor(value)).toEqual([
        'must be an integer from -9223372036854775808 to 9223372036854775807',
      ]);
    },
  );

  it('reports a missing integer as required', () => {
    expect(messagesFor(undefined)).toEqual(['is required']);
  });
});

describe('Int64ParameterSchema', () => {
  it.each(['0', '7', '-7', '9007199254740993', '9223372036854775807', '-9223372036854775808'])(
    'takes %s and gives the same as a bigint',
    (text) => {
      expect(Int64ParameterSchema.parse(text)).toBe(BigInt(text));
    },
  );

  it.each([
    '9223372036854775808',
    '-9223372036854775809',
    '',
    ' 1',
    '1 ',
    '+1',
    '-0',
    '01',
    '1.0',
    '1e2',
    '0x1',
    '1n',
    '١',
    ['1'],
    null,
  ])('rejects %o', (value) => {
    expect(Int64ParameterSchema.safeParse(value).error?.issues.map(({ message }) => message)).toEqual([
      'must be an integer from -9223372036854775808 to 9223372036854775807',
    ]);
  });

  it('rejects a very long integer', () => {
    expect(Int64ParameterSchema.safeParse('9'.repeat(100_000)).success).toBe(false);
  });

  it('reports a missing integer as required', () => {
    expect(Int64ParameterSchema.safeParse(undefined).error?.issues[0]?.message).toBe('is required');
  });
});

describe('jsonShapeOf', () => {
  it('has every member of a plant', () => {
    const { members = [] } = jsonShapeOf(NewPlantSchema);
    expect(members.map(({ name }) => name)).toEqual(Object.keys(NewPlantSchema.shape));
    expect(members.every(({ shape }) => Object.keys(shape).length === 0)).toBe(true);
  });

  it('has the plants of a batch', () => {
    const shape = { items: jsonShapeOf(NewPlantSchema), maxItems: MAX_PLANTS };
    expect(jsonShapeOf(NewPlantsSchema)).toEqual({ members: [{ name: 'plants', shape }] });
  });

  it('follows objects, lists, transforms, and what may be absent or null', () => {
    const place = z.object({ x: z.number(), labels: z.array(z.object({ a: z.string() })) });
    const members = [
      { name: 'x', shape: {} },
      { name: 'labels', shape: { items: { members: [{ name: 'a', shape: {} }] } } },
    ];
    for (const schema of [place, place.optional(), place.nullish(), place.transform(String)])
      expect(jsonShapeOf(schema)).toEqual({ members });
  });
});

describe('the query of a list', () => {
  const issues = (query: object) =>
    PlantQuerySchema.safeParse(query).error?.issues.map(
      ({ path, message }) => `${path.join('.')} ${message}`,
    );

  it.each(Object.entries(QUERY_MAX_LENGTHS))('has %s with at most %d code points', (name, max) => {
    for (const character of ['a', '🌱']) {
      expect(issues({ [name]: character.repeat(max) })).toBeUndefined();
      expect(issues({ [name]: character.repeat(max + 1) })).toEqual([
        `${name} must have at most ${max} characters`,
      ]);
    }
  });

  it.each(['ids', 'tags', 'Limit', '', '__proto__'])('has no parameter "%s"', (name) => {
    expect(issues(Object.fromEntries([[name, '1']]))).toEqual([
      ' is not known: there are limit, after, order, tag, q',
    ]);
  });

  it.each(['limit', 'after', 'order', 'tag', 'q'])('has %s once, and decoded', (name) => {
    expect(issues({ [name]: ['1', '1'] })).toEqual([`${name} must be given once`]);
    expect(issues({ [name]: null })).toEqual([`${name} must be percent-encoded UTF-8`]);
  });
});
