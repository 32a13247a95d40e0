import { expect, it, onTestFinished, vi } from 'vitest';
import * as z from 'zod';
import { parseExactJson } from './exact-json/parse.js';
import { INT64_MAX, INT64_MIN } from './int64.js';
import { MAX_RECORDS, QUERY_MAX_LENGTHS } from './limits.js';
import {
  ErrorSchema,
  NewPlantSchema,
  NewTokenSchema,
  NoQuerySchema,
  PlantSchema,
  plants as plantSchemas,
  TagQuerySchema,
  TokenRotationSchema,
} from './schemas.js';
import {
  Int64ParameterSchema,
  Int64Schema,
  jsonShapeOf,
  QueryTimeSchema,
  TimeSchema,
} from './value-schemas.js';

const {
  batch: NewPlantsSchema,
  ids: PlantIdsSchema,
  query: PlantQuerySchema,
  updates: PlantUpdatesSchema,
  deletions: PlantDeletionsSchema,
} = plantSchemas;
const range = 'must be an integer from -9223372036854775808 to 9223372036854775807';
const shortest = 'must be written as';
const rose = { id: 1, name: 'Rose' };
const notString = 'must be an integer, not a string (for a string, use idText)';
const nul = 'must not contain the NUL character (U+0000)';
const unpaired = 'must not contain an unpaired surrogate';
const parameters = 'limit after order tag tags without q addedFrom addedBefore total fields'.split(' ');

/** Objects with one member for each value, and plants with one such member. */
const each = (name: string, ...values: unknown[]) =>
  values.map((value) => Object.fromEntries([[name, value]]));
const plantsWith = (name: string, ...values: unknown[]) =>
  each(name, ...values).map((member) => ({ ...rose, ...member }));

type Row = [issues: string, schema: z.ZodType, values: unknown[]];

it.each<Row>([
  [
    range,
    Int64Schema,
    [INT64_MIN - 1n, INT64_MAX + 1n, 1.5, 2 ** 53, NaN, '', '1.5', 'one', true, null, [1], {}],
  ],
  [notString, Int64Schema, ['1', '-9223372036854775808', '9007199254740993']],
  [range, Int64ParameterSchema, [`${INT64_MAX + 1n}`, `${INT64_MIN - 1n}`, '9'.repeat(100_000), ['1'], null]],
  [range, Int64ParameterSchema, ['', '%', 'one', '1.5', '0x1', '1n', '1,000']],
  [
    `${shortest} 1`,
    Int64ParameterSchema,
    [' 1', '1 ', '+1', '01', '1.0', '10e-1', '١', '\u200e1', '%31', '%D9%A1'],
  ],
  [`${shortest} 0`, Int64ParameterSchema, ['-0', '00']],
  ['is required', Int64Schema, [undefined]],
  ['is required', Int64ParameterSchema, [undefined]],
  ['name is required', PlantSchema, [{}]],
  ['id is required; name is required', NewPlantSchema, [{}]],
  [`id ${notString}; name ${nul}; name ${unpaired}`, NewPlantSchema, [{ id: '1', name: '\0\ud800' }]],
  ...['name', 'tag'].flatMap((name): Row[] => [
    [`${name} must be a string`, NewPlantSchema, plantsWith(name, null, 1, 1n, true, ['Rose'], {})],
    [`${name} ${nul}`, NewPlantSchema, plantsWith(name, '\0', 'Ro\0se')],
    [`${name} ${unpaired}`, NewPlantSchema, plantsWith(name, '\ud83c', '\udf39\ud83c')],
  ]),
  ...[
    ...['1', 'null', '[1]'].map((idText) => [idText, 'must be the ID as a string of digits']),
    ...['""', '"9223372036854775808"'].map((idText) => [idText, range]),
    ...['"+1"', '"01"', '"1.0"'].map((idText) => [idText, `${shortest} 1`]),
  ].map(
    ([idText, problem]): Row => [
      `idText ${problem}; name is required`,
      NewPlantSchema,
      [parseExactJson(`{"idText":${idText}}`), parseExactJson(`{"id":1,"idText":${idText}}`)],
    ],
  ),
  [`id ${notString}; name is required`, NewPlantSchema, [{ id: '1', idText: '1' }]],
  ...['9007199254740992', '9007199254740992.5', '9223372036854776000'].map(
    (id): Row => [
      `idText "9007199254740993" and id ${id} differ: send idText without id, because JavaScript's JSON.parse and ` +
        'other JSON parsers round integers beyond 2^53; name is required',
      NewPlantSchema,
      [parseExactJson(`{"id":${id},"idText":"9007199254740993"}`)],
    ],
  ),
  ['must be a JSON object', NewPlantSchema, [null, 1, 'Rose', true, [], [rose], undefined]],
  ['must be a JSON object', NewPlantsSchema, [null, []]],
  ['ids must have at least one id', PlantIdsSchema, each('ids', [])],
  ['ids must be a list of ids', PlantIdsSchema, each('ids', '1')],
  ['plants is required', NewPlantsSchema, [{}]],
  ['plants must have at least one plant', NewPlantsSchema, each('plants', [])],
  ['plants must be a list of plants', NewPlantsSchema, each('plants', { length: 1 }, null)],
  ['limit must be an integer from 1 to 1000', PlantQuerySchema, each('limit', '0', '1001', '', '01001', 1)],
  [`limit ${shortest} 10`, PlantQuerySchema, each('limit', '+10', '010', '1e1', '10.0')],
  [
    'order must be id, -id, newest, oldest, name or -name',
    PlantQuerySchema,
    each('order', 'tag', '-newest', ''),
  ],
  ['total must be true or false', PlantQuerySchema, each('total', '1', '')],
  ['without must be tag', PlantQuerySchema, each('without', 'name', '')],
  [`tag ${nul}`, PlantQuerySchema, each('tag', '\0')],
  [`q ${nul}`, PlantQuerySchema, each('q', '\0')],
  ...Object.entries(QUERY_MAX_LENGTHS).map(([name, length]): Row => {
    const tooLong = ['a', '🌱'].map((character) => character.repeat(length + 1));
    return [`${name} must have at most ${length} characters`, PlantQuerySchema, each(name, ...tooLong)];
  }),
  ...parameters
    .filter((name) => name !== 'tags')
    .flatMap((name): Row[] => [
      [`${name} must appear only once`, PlantQuerySchema, each(name, ['1', '1'])],
      [`${name} must be percent-encoded UTF-8`, PlantQuerySchema, each(name, null)],
    ]),
  ['tags 1 must be percent-encoded UTF-8', PlantQuerySchema, each('tags', ['1', null])],
  ['tags must appear at most 20 times', PlantQuerySchema, each('tags', Array(21).fill('a'))],
  ['is unknown: this operation has no query parameters', NoQuerySchema, each('id', '1')],
  ['is unknown: this operation accepts only after', TagQuerySchema, each('limit', '1')],
  [
    `is unknown: this operation accepts only ${parameters.join(', ')}`,
    PlantQuerySchema,
    ['ids', 'tagss', 'Limit', '', '__proto__'].flatMap((name) => each(name, '1')),
  ],
])('reports: %s', (issues, schema, values) => {
  for (const value of values) {
    const found = schema.safeParse(value).error?.issues ?? [];
    const reported = found.map(({ path, message }) => [...path, message].join(' '));
    expect(reported.join('; '), String(value)).toBe(issues);
  }
});

it.each([
  [Int64Schema, [0, -0, -7, 2 ** 53 - 1, 5n, 9007199254740993n, INT64_MIN, INT64_MAX]],
  [Int64ParameterSchema, ['0', '7', '-7', '9007199254740993', `${INT64_MAX}`, `${INT64_MIN}`]],
])('%# returns an int64 as a bigint', (schema, values) => {
  for (const value of values) expect(schema.parse(value)).toBe(BigInt(value));
});

it.each([
  '',
  ' Rose ',
  'Ro\u0301se',
  'ﬁ',
  '玫瑰 🌹',
  '\u0001\u007f\u2028',
  '__proto__',
  '🌹'.repeat(100_000),
])('keeps the texts of a plant: %j', (text) => {
  expect(NewPlantSchema.parse({ id: 1, name: text, tag: text })).toEqual({ id: 1n, name: text, tag: text });
  expect(PlantSchema.parse({ name: text, tag: text })).toEqual({ name: text, tag: text });
});

it.each<[text: string, id: bigint]>([
  ['{"idText":"9223372036854775807","name":"Rose"}', INT64_MAX],
  ['{"id":9007199254740993,"idText":"9007199254740993","name":"Rose"}', 9007199254740993n],
  ['{"name":"Rose","idText":"-7","id":-0.7e1,"addedAt":"2026-11-25T10:00:00.000Z"}', -7n],
])('takes a plant with its idText: %s', (text, id) => {
  expect(NewPlantSchema.parse(parseExactJson(text))).toStrictEqual({ id, name: 'Rose' });
  expect(NewPlantSchema.parse({ id, idText: undefined, name: 'Rose' })).toStrictEqual({ id, name: 'Rose' });
  expect(NewPlantSchema.parse({ id: undefined, idText: `${id}`, name: 'Rose' })).toStrictEqual({
    id,
    name: 'Rose',
  });
});

it('drops unknown members of a plant, and accepts a plant without a tag', () => {
  const plant = parseExactJson('{"id":1e0,"name":"Rose","Tag":null,"price":1e400,"constructor":{"a":[]}}');
  expect(NewPlantSchema.parse(plant)).toStrictEqual({ id: 1n, name: 'Rose' });
  expect(PlantSchema.parse(plant)).toStrictEqual({ name: 'Rose' });
});

it('accepts any plants of a batch, which are validated one by one', () => {
  expect(NewPlantsSchema.parse({ plants: [null] })).toEqual({ plants: [null] });
  expect(PlantIdsSchema.parse({ ids: [1] })).toEqual({ ids: [1] });
});

it('reads the parameters of a query', () => {
  const query = {
    limit: '1000',
    after: '🌱'.repeat(100),
    order: 'newest',
    tag: '🌱'.repeat(1_000),
    q: '',
    addedFrom: '2026-11-25T10:00:00Z',
    addedBefore: '2026-11-25T10:00:00.123Z',
  } as const;
  expect(PlantQuerySchema.parse(query)).toEqual({ ...query, limit: 1000 });
  const several = { tags: 'a', without: 'tag', total: 'true' };
  expect(PlantQuerySchema.parse(several)).toEqual({ tags: ['a'], without: 'tag', total: true });
  expect(Object.keys(PlantQuerySchema.shape)).toEqual(parameters);
});

it.each([
  // As they were sent, so that the cursors of earlier versions are still of this query.
  ...['10:00:00Z', '10:00:00.1Z', '10:00:00.123Z'].map((time) => [time, time]),
  ['10:00:00.1230Z', '10:00:00.123Z'],
  ['10:00:00.1230001Z', '10:00:00.124Z'],
  ['10:00:00.9990001+00:00', '10:00:01.000Z'],
  ['11:00:00 01:00', '10:00:00.000Z'],
  ['10:00:00z', '10:00:00.000Z'],
  ['00:29:60+00:30', '00:00:00.000Z'],
])('returns the bound of a query in UTC: %s', (time, expected) => {
  expect(QueryTimeSchema.parse(`2026-11-25T${time}`)).toBe(`2026-11-25T${expected}`);
});

it('returns a time of a body in milliseconds, and an expiry in UTC', () => {
  expect(TimeSchema.parse('2026-11-25T11:00:00.0009999+01:00')).toBe(Date.UTC(2026, 10, 25, 10));
  expect(TimeSchema.safeParse('2026-11-25T11:00:00 01:00').success).toBe(false);
  const expiresAt = '2999-01-01T01:00:00.0009999+01:00';
  expect(TokenRotationSchema.parse({ overlapSeconds: 0, expiresAt })).toEqual({
    overlapSeconds: 0,
    expiresAt: '2999-01-01T00:00:00.000Z',
  });
});

const newToken = { name: 'x'.repeat(100), scopes: ['read'] };

it.each<[changes: object, message?: string]>([
  [{}],
  [{ name: '🌱'.repeat(100) }],
  ...['', ' \t', 'a\nb', 'a\u0000', 'a\ud800'].map((name): [object, string] => [
    { name },
    'must be one line of text',
  ]),
  [{ name: '🌱'.repeat(101) }, 'must have at most 100 characters'],
  [{ scopes: [] }, 'must have at least one scope'],
  [{ expiresAt: '2026-11-25T10:00:00.001Z' }],
  [{ expiresAt: '2026-11-25T10:00:00Z' }, 'must be in the future'],
])('accepts a new token, unless its name, scopes, or expiration is invalid: %j', (changes, message) => {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 25, 10) });
  onTestFinished(() => void vi.useRealTimers());
  const { error } = NewTokenSchema.safeParse({ ...newToken, ...changes });
  expect(error?.issues[0]?.message).toBe(message);
});

it.each([
  [{ ids: [1, 2] }, undefined],
  [{ ids: [1, 2], ifMatch: ['*', '*'] }, undefined],
  [{ ids: [1, 2], ifMatch: ['*'] }, 'must have as many ETags as there are IDs: 2, not 1'],
])('accepts deletions with an ETag for each ID, or without any: %j', (deletions, message) => {
  const { error } = PlantDeletionsSchema.safeParse(deletions);
  expect(error?.issues[0]?.message).toBe(message);
});

it.each([
  ['"a"', true, true],
  ['W/"a", *', false, false],
  ['a', false, false],
  ['', false, true],
])('accepts %j as an ETag that must match, or must not match', (tags, matches, excludes) => {
  const { ifMatch, ifNoneMatch } = plantSchemas;
  expect(ifMatch.safeParse(tags).success).toBe(matches);
  expect(ifNoneMatch.safeParse(tags).success).toBe(excludes);
});

it.each([
  ...[2 ** 31, 400.5, '40000', undefined].map((error) => ({ error, message: '' })),
  ...[undefined, null].map((message) => ({ error: 40000, message })),
])('rejects the Error %j', (body) => {
  expect(ErrorSchema.safeParse(body).success).toBe(false);
});

it('has the JSON shape of a plant, and of the plants of a batch', () => {
  const plant = { members: ['id', 'idText', 'name', 'tag'].map((name) => ({ name, shape: {} })) };
  expect(jsonShapeOf(NewPlantSchema)).toEqual(plant);
  const plants = { name: 'plants', shape: { items: plant, maxItems: MAX_RECORDS } };
  expect(jsonShapeOf(NewPlantsSchema)).toEqual({ members: [plants] });
  const ids = { name: 'ids', shape: { items: {}, maxItems: MAX_RECORDS } };
  expect(jsonShapeOf(PlantIdsSchema)).toEqual({ members: [ids] });
  const update = { members: [...plant.members, { name: 'ifMatch', shape: {} }] };
  const updates = { name: 'plants', shape: { items: update, maxItems: MAX_RECORDS } };
  expect(jsonShapeOf(PlantUpdatesSchema)).toEqual({ members: [updates] });
  expect(jsonShapeOf(PlantDeletionsSchema)).toEqual({ members: [ids, { ...ids, name: 'ifMatch' }] });
});

it('has the JSON shape of objects, lists, transforms, and optional and nullable values', () => {
  const place = z.object({ x: z.number(), labels: z.array(z.object({ a: z.string() })) });
  const labels = { items: { members: [{ name: 'a', shape: {} }] } };
  const shape = {
    members: [
      { name: 'x', shape: {} },
      { name: 'labels', shape: labels },
    ],
  };
  for (const schema of [place, place.optional(), place.nullish(), place.transform(String)])
    expect(jsonShapeOf(schema)).toEqual(shape);
});
