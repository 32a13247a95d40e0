import type { Scope } from '../src/access-token.js';
import { writeCursor } from '../src/cursor.js';
import { plantFieldNames, plantFields, plantFilters } from '../src/fields.js';
import { INT64_MAX, INT64_MIN } from '../src/int64.js';
import { MAX_PLANTS, QUERY_MAX_LENGTHS } from '../src/limits.js';
import { messages } from '../src/messages.js';
import type { Operations } from '../src/operations.js';
import { PlantQuerySchema } from '../src/schemas.js';
import { type Case, ok, type Reply, type Request, rejected } from './exchange.js';

const [min, max] = [INT64_MIN, INT64_MAX];
const int64 = `must be an integer from ${min} to ${max}`;

type Id = string | number | bigint;
/** Members of an object, whose values are JSON. */
type Members = Readonly<Record<string, string>>;

function object(members: Members): string {
  return `{${Object.entries(members).map(([name, value]) => `"${name}":${value}`)}}`;
}

const named = (text: (name: string) => string, names: readonly string[]): Members =>
  Object.fromEntries(names.map((name) => [name, text(name)]));

/** The texts that a plant must have, and all that it may have. */
const required = named(
  () => '"n"',
  plantFieldNames.filter((name) => plantFields[name].required),
);
const optional = plantFieldNames.filter((name) => !plantFields[name].required);
const all = named((name) => `"A ${name}"`, plantFieldNames);
const empty = named(() => '""', plantFieldNames);

/** A plant as it is sent, and as it is shown by its id. */
const plant = (id: Id, texts: Members = {}) => object({ id: `${id}`, ...required, ...texts });
const shown = (id: Id, texts: Members = {}) =>
  object({ id: `${id}`, idText: `"${id}"`, ...required, ...texts, addedAt: '"now"' });
const without = (name: string, { [name]: _, ...texts }: Members) => texts;

const create = (body: string): Request => ({ line: 'POST /plants', body });
const batch = (body: string): Request => ({ line: 'POST /plants/batch', body });
const get = (target: string, method = 'GET'): Request => ({ line: `${method} ${target}` });
const remove = (id: Id): Request => get(`/plants/${id}`, 'DELETE');

const created = (texts: Members = {}) => ok(object({ ...required, ...texts }));
const replayed = (texts: Members = {}) =>
  ok(object({ ...required, ...texts }), { 'idempotent-replayed': 'true' });
const invalid = (issues: string) => rejected('invalid_plant', `The plant is not valid: ${issues}.`);
const taken = (id: bigint) =>
  rejected('id_taken', `The id ${id} belongs to another plant. Choose another id.`);
const retired = (id: bigint) =>
  rejected('id_retired', `The id ${id} was that of a plant that was deleted. Choose another id.`);
const notFound = (id: bigint) => rejected('plant_not_found', `No plant has the id ${id}.`);
const deleted: Reply = { status: 204, body: '', headers: {} };
const unknown = (parameter: string, known = 'there are none here') =>
  invalidQuery(parameter, `is not known: ${known}`);
const invalidQuery = (parameter: string, problem: string) =>
  rejected('bad_request', `The request is not valid: the query parameter ${parameter} ${problem}.`);
const listed = (plants: readonly string[], next = false) =>
  ok(`{"plants":[${plants}]${next ? ',"next":"…"' : ''}}`);
/** The results of a batch: of each plant what a request of its own would have got. */
const results = (...replies: readonly Reply[]) =>
  ok(
    `{"results":[${replies.map(({ status, body, headers }) =>
      status === 200
        ? `{"status":200,"replayed":${'idempotent-replayed' in headers}}`
        : body.replace('{', `{"status":${status},`),
    )}]}`,
  );

const withoutToken = { Authorization: undefined };
const noToken = rejected('missing_token', messages.missingToken, {
  'www-authenticate': 'Bearer realm="plant-store"',
});

/** How ids may be written in JSON, and what they are; and what is none. */
const writtenIds = [
  ...([
    [`${max}`, max],
    [`${min}`, min],
    ['0', 0n],
    ['-1', -1n],
    ['20.0', 20n],
    ['1e2', 100n],
  ] as const),
  ...([
    ['1E+3', 1000n],
    ['1.25e2', 125n],
    ['1200e-2', 12n],
    [`13.${'0'.repeat(400)}`, 13n],
  ] as const),
  ...[9007199254740991n, 9007199254740992n, 9007199254740993n, -9007199254740993n, max - 1n, min + 1n].map(
    (id) => [`${id}`, id] as const,
  ),
  ['9.223372036854775805e18', max - 2n],
] as const;
const notWrittenIds = [
  ...['"1"', '""', '1.5', '0.1', '-0.5', '1e-1', `${max + 1n}`, `${min - 1n}`, `${max}.5`],
  ...['9.223372036854775808e18', '18446744073709551616', '1e19', '1e400', '1e999999999999999999999'],
  ...[`1.${'0'.repeat(40)}1`, '9'.repeat(400), `-${'9'.repeat(400)}`, 'null', 'true', '[]', '[1]', '{}'],
];
const exact = { name: '" e\u0301\\t\\"/\u007f "', tag: '"\u2028🪴"' };
const storedPlants = new Map<bigint, Members>([
  ...([
    [1n, all],
    [2n, {}],
    [3n, empty],
    [4n, exact],
    [5n, {}],
    [6n, { tag: '"t"' }],
  ] as const),
  ...writtenIds.map(([, id]) => [id, {}] as const),
]);

/** Texts of JSON that no plant may have, and why. */
const invalidTexts = [
  ...['null', '7', '1e400', `${max}`, 'true', '[]', '{}'].map((text) => [text, 'must be a string'] as const),
  ...['"\\u0000"', '"a\\u0000b"'].map(
    (text) => [text, 'must not contain the character NUL (U+0000)'] as const,
  ),
  ...['"\\ud83e"', '"\\udeb4\\ud83e"'].map(
    (text) => [text, 'must not contain an unpaired surrogate'] as const,
  ),
];

const invalidIds = ['x', '01', '-0', '+1', '1.0', '1e1', '0x1', '9223372036854775808', '%20', '1%00', '%31'];
const invalidId = rejected('bad_request', `The request is not valid: the path parameter id ${int64}.`);
const invalidPaths = ['%', '%FF', '1%zz', '%E0%A4%A'];
const invalidPath = rejected('bad_request', messages.invalidPath);

/** Of an operation on one plant: how the id is written, and that it has no query. */
const ofPath = (method: string): readonly Case[] => [
  ...invalidIds.map((id): Case => [`the id ${id}`, get(`/plants/${id}`, method), invalidId]),
  ...invalidPaths.map((id): Case => [`the path ${id}`, get(`/plants/${id}`, method), invalidPath]),
  ['a query', get('/plants/1?x=1', method), unknown('x')],
  ['no token', { ...get('/plants/1', method), headers: withoutToken }, noToken],
];

/** The plants of the lists, by their ids, the last of which is the newest. */
const monstera = { name: '"Monstera deliciosa"', tag: '"indoor"' };
const fern = { name: '"Fern"', tag: '"outdoor"' };
const quoted = { name: '"\\"quotes\\", \\\\ and 🌱"', tag: '"indoor"' };
const adansonii = { name: '"monstera adansonii"', tag: '""' };
const unnamed = { name: '""' };
const a = shown(min, monstera);
const b = shown(-1, fern);
const c = shown(0, unnamed);
const d = shown('9007199254740993', quoted);
const e = shown(max, adansonii);
const long = {
  name: `"${'🌱'.repeat(QUERY_MAX_LENGTHS.q)}"`,
  tag: `"${'🌱'.repeat(QUERY_MAX_LENGTHS.tag)}"`,
};
const ofQuery = (member: keyof typeof long) => encodeURIComponent(JSON.parse(long[member]));
const queryNames = Object.keys(PlantQuerySchema.shape);
const otherCursor = rejected('bad_request', messages.invalidCursor);

/** What of a token each operation needs. */
export const operationScopes: Readonly<Record<keyof Operations, Scope>> = {
  createPlant: 'create',
  createPlants: 'create',
  deletePlant: 'delete',
  getPlant: 'read',
  listPlants: 'read',
};

/** What plant stores do, by operation: each begins with an empty one. */
export const operationCases: Readonly<Record<keyof Operations, readonly Case[]>> = {
  createPlant: [
    ['every text', create(plant(1, all)), created(all)],
    ['the same plant again', create(plant(1, all)), replayed(all)],
    [
      'the same plant, written in another way',
      create(`{"height":1e400,${plant('10e-1', { ...all, name: '"\\u0041 name"' }).slice(1)}`),
      replayed(all),
    ],
    ...plantFieldNames.map(
      (name): Case => [`another ${name}`, create(plant(1, { ...all, [name]: `"a ${name}"` })), taken(1n)],
    ),
    ...optional.map(
      (name): Case => [`no ${name} where there was one`, create(plant(1, without(name, all))), taken(1n)],
    ),
    ...['A NAME', 'A name ', ' A name'].map(
      (name): Case => [
        `the name "${name}"`,
        create(plant(1, { ...all, name: JSON.stringify(name) })),
        taken(1n),
      ],
    ),
    ['texts swapped', create(plant(1, { ...all, name: '"A tag"', tag: '"A name"' })), taken(1n)],
    ['the plant that was stored', create(plant(1, all)), replayed(all)],
    ['no more than the required texts', create(plant(2)), created()],
    ...optional.map(
      (name): Case => [
        `an empty ${name} where there was none`,
        create(plant(2, { [name]: '""' })),
        taken(2n),
      ],
    ),
    ['the required texts again', create(plant(2)), replayed()],
    ['empty texts', create(plant(3, empty)), created(empty)],
    ...optional.map(
      (name): Case => [
        `no ${name} where there was an empty one`,
        create(plant(3, without(name, empty))),
        taken(3n),
      ],
    ),
    [
      'texts that are stored exactly',
      create(plant(4, { name: '" e\\u0301\\t\\"/\\u007f "', tag: '"\\u2028\\ud83e\\udeb4"' })),
      created(exact),
    ],
    [
      'another form of the same text',
      create(plant(4, { name: '" \u00e9\\t\\"/\\u007f "', tag: '"\\u2028\\ud83e\\udeb4"' })),
      taken(4n),
    ],
    ...writtenIds.map(([text]): Case => [`the id ${text}`, create(plant(text)), created()]),
    ['the id -0, which is 0', create(plant('-0')), replayed()],
    ['the largest id for another plant', create(plant(max, { name: '"m"' })), taken(max)],
    ...['null', '[]', '"x"', '7', 'true'].map(
      (body): Case => [`${body} as a plant`, create(body), invalid('the body must be a JSON object')],
    ),
    ['no member', create('{}'), invalid('id is required; name is required')],
    [
      'names of fields in another case',
      create('{"ID":1,"Name":"n"}'),
      invalid('id is required; name is required'),
    ],
    [
      'different issues',
      create('{"name":"\\u0000","tag":"\\ud800"}'),
      invalid(
        'id is required; name must not contain the character NUL (U+0000); tag must not contain an unpaired surrogate',
      ),
    ],
    [
      'members that are not known',
      create('{"x":1,"tag":"t","id":6,"name":"n","_id":2,"Name":"N"}'),
      created({ tag: '"t"' }),
    ],
    [
      'an issue in every field',
      create('{"id":"1","name":null,"tag":7}'),
      invalid(`id ${int64}; name must be a string; tag must be a string`),
    ],
    ...notWrittenIds.map((id): Case => [`${id}, which is no id`, create(plant(id)), invalid(`id ${int64}`)]),
    ...plantFieldNames
      .flatMap((name) => invalidTexts.map((text) => [name, ...text] as const))
      .map(
        ([name, text, issue]): Case => [
          `the ${name} ${text}`,
          create(plant(5, { [name]: text })),
          invalid(`${name} ${issue}`),
        ],
      ),
    ['a query', { ...create(plant(5)), line: 'POST /plants?id=7' }, unknown('id')],
    ['no id of an invalid plant is taken', create(plant(5)), created()],
    ['an invalid plant under a taken id', create(plant(5, { name: '7' })), invalid('name must be a string')],
    [
      'what is stored',
      get('/plants'),
      listed([...storedPlants].sort(([a], [b]) => (a < b ? -1 : 1)).map((stored) => shown(...stored))),
    ],
  ],

  createPlants: [
    [
      'every text, and the ends of int64',
      batch(`{"plants":[${plant(1, all)},${plant(max)},${plant(min)}]}`),
      results(created(), created(), created()),
    ],
    [
      'the same plants again, in another order',
      batch(`{"plants":[${plant(min)},${plant(1, all)},${plant(max)}]}`),
      results(replayed(), replayed(), replayed()),
    ],
    [
      'results as requests of their own would have had: none stops the others',
      batch(`{"plants":[${plant(2)},${plant(1)},${plant(1, all)},{"name":"no id"},7,null,[{"id":1}],
        ${plant(3, { name: '"a\\u0000"' })},${plant(max + 1n)},${plant(4, { tag: '5' })},${plant(5)}]}`),
      results(
        ...[created(), taken(1n), replayed(), invalid('id is required')],
        ...Array(3).fill(invalid('the body must be a JSON object')),
        invalid('name must not contain the character NUL (U+0000)'),
        ...[invalid(`id ${int64}`), invalid('tag must be a string'), created()],
      ),
    ],
    [
      'several plants with one id: the first is stored',
      batch(`{"plants":[${plant(6)},${plant(6, all)},${plant(6)},${plant(6, { tag: '""' })}]}`),
      results(created(), taken(6n), replayed(), taken(6n)),
    ],
    [
      'more than 1,000 plants',
      batch(`{"plants":[${Array.from({ length: MAX_PLANTS + 1 }, (_, index) => plant(10_000 + index))}]}`),
      rejected('batch_too_large', 'The batch has 1001 plants. Send at most 1000 in one request.'),
    ],
    ['none of them is stored', get('/plants/10000'), notFound(10_000n)],
    [
      '1,000 plants',
      batch(`{"plants":[${Array.from({ length: MAX_PLANTS }, (_, index) => plant(10_000 + index))}]}`),
      results(...Array(MAX_PLANTS).fill(created())),
    ],
    [
      'many more plants, of which one is no object',
      batch(`{"plants":[${'[],'.repeat(340_000)}[]]}`),
      rejected('batch_too_large', messages.batchTooLarge(340_001)),
    ],
    [
      'too many plants, of which one has a member twice',
      batch(`{"plants":[${'0,'.repeat(1_000)}{"id":1,"id":2}]}`),
      rejected('batch_too_large', messages.batchTooLarge(1_001)),
    ],
    [
      'too many plants, of which one is no JSON',
      batch(`{"plants":[${'0,'.repeat(1_000)}01]}`),
      rejected('malformed_json', messages.malformedJson("Expected ',' or ']' but got '1' at position 2012")),
    ],
    [
      'a body that is too large',
      batch(`["${'x'.repeat(2 ** 20)}"]`),
      rejected('body_too_large', messages.bodyTooLarge(2 ** 20)),
    ],
    [
      'another content type',
      { ...batch('{}'), headers: { 'Content-Type': 'text/plain' } },
      rejected('unsupported_content_type', messages.unsupportedContentType('text/plain')),
    ],
    ['a list as a batch', batch('[]'), invalid('the body must be a JSON object')],
    ...[
      ['{}', 'plants is required'],
      ['{"plants":{"length":[1]}}', 'plants must be a list of plants'],
      ['{"plants":[]}', 'plants must have at least one plant'],
    ].map(
      ([body = '', issue]): Case => [
        `${body} as a batch`,
        batch(body),
        rejected('invalid_plant', `The batch is not valid: ${issue}.`),
      ],
    ),
    [
      'members that are not known, twice',
      batch(`{"x":1,"plants":[{"x":1,"x":2,${plant(7).slice(1)}],"x":2}`),
      results(created()),
    ],
    [
      'a member of a plant twice',
      batch('{"plants":[{"id":1,"id":2}]}'),
      rejected(
        'malformed_json',
        messages.malformedJson("Duplicate member 'id' with a different value at position 19"),
      ),
    ],
    ['the same plants twice', batch(`{"plants":[${plant(8)}],"plants":[${plant(8)}]}`), results(created())],
    [
      'other plants twice',
      batch('{"plants":[{"id":1}],"plants":[{"id":2}]}'),
      rejected(
        'malformed_json',
        messages.malformedJson("Duplicate member 'plants' with a different value at position 21"),
      ),
    ],
    ['a query', { ...batch(`{"plants":[${plant(9)}]}`), line: 'POST /plants/batch?x=1' }, unknown('x')],
    ['no token', { ...batch('{}'), headers: withoutToken }, noToken],
    [
      'what is stored',
      get('/plants?limit=8'),
      listed([shown(min), shown(1, all), ...[2, 5, 6, 7, 8, 10_000].map((id) => shown(id))], true),
    ],
  ],

  deletePlant: [
    ['an id that never was one', remove(1), notFound(1n)],
    ['it is not taken by that', create(plant(1, all)), created(all)],
    ...ofPath('DELETE'),
    ['nothing was deleted by these', get('/plants/1'), ok(shown(1, all))],
    ['a plant', remove(1), deleted],
    ['the same plant again', remove(1), deleted],
    ['it is gone', get('/plants/1'), notFound(1n)],
    ['it is in no list', get('/plants'), listed([])],
    ['its id for the same plant', create(plant(1, all)), retired(1n)],
    ['its id for another plant', create(plant(1)), retired(1n)],
    ['its id in a batch', batch(`{"plants":[${plant(1)},${plant(2)}]}`), results(retired(1n), created())],
    ['the largest id', create(plant(max)), created()],
    ['the largest id, deleted', remove(max), deleted],
    ['the largest id again', create(plant(max)), retired(max)],
    ['the smallest id, that never was one', remove(min), notFound(min)],
    ['what is left', get('/plants'), listed([shown(2)])],
  ],

  getPlant: [
    ['an id that no plant has', get('/plants/1'), notFound(1n)],
    ...[1n, min, 9007199254740993n, max].map(
      (id): Case => [`a plant to be found: ${id}`, create(plant(id, all)), created(all)],
    ),
    ...[1n, min, 9007199254740993n, max].map(
      (id): Case => [`every text, and the digits of the id: ${id}`, get(`/plants/${id}`), ok(shown(id, all))],
    ),
    ['an adjacent id', get('/plants/9007199254740992'), notFound(9007199254740992n)],
    ['HEAD, without the body', get('/plants/1', 'HEAD'), ok('')],
    ['HEAD of an id that no plant has', get('/plants/7', 'HEAD'), { ...notFound(7n), body: '' }],
    ...ofPath('GET'),
    ['the path of the batch', get('/plants/batch'), invalidId],
  ],

  listPlants: [
    ['no plant', get('/plants'), listed([])],
    ...(
      [
        [min, monstera],
        [-1n, fern],
        [0n, unnamed],
        [9007199254740993n, quoted],
        [max, adansonii],
      ] as const
    ).map(([id, texts]): Case => [`a plant to be listed: ${id}`, create(plant(id, texts)), created(texts)]),
    ['all plants, by id', get('/plants'), listed([a, b, c, d, e])],
    ['as many as there are', get('/plants?limit=5'), listed([a, b, c, d, e])],
    ['the first page', get('/plants?limit=2'), listed([a, b], true)],
    ['the page after it', get('/plants?limit=2&after=<next>'), listed([c, d], true)],
    ['the last page, with another limit', get('/plants?limit=1000&after=<next>'), listed([e])],
    ['the newest first', get('/plants?order=newest&limit=2'), listed([e, d], true)],
    ['the page after them', get('/plants?order=newest&limit=2&after=<next>'), listed([c, b], true)],
    ['the oldest', get('/plants?order=newest&limit=2&after=<next>'), listed([a])],
    ['a tag', get('/plants?tag=indoor'), listed([a, d])],
    ...plantFilters.map(
      (name): Case => [`a ${name} that no plant has`, get(`/plants?${name}=nothing`), listed([])],
    ),
    ['a tag, one at a time', get('/plants?tag=indoor&limit=1'), listed([a], true)],
    ['its next plant', get('/plants?tag=indoor&limit=100&after=<next>'), listed([d])],
    ['an empty tag, which differs from none', get('/plants?tag='), listed([e])],
    ['a part of the name, in another case', get('/plants?q=MONSTERA'), listed([a, e])],
    [
      'a part of the name, a tag and an order',
      get('/plants?q=monstera&tag=indoor&order=newest'),
      listed([a]),
    ],
    ['an empty part of the name', get('/plants?q='), listed([a, b, c, d, e])],
    ['an emoji', get('/plants?q=%F0%9F%8C%B1'), listed([d])],
    ['a part that no name has', get('/plants?q=nothing'), listed([])],
    ['the longest texts, to be listed', create(plant(10, long)), created(long)],
    [
      'the longest texts',
      get(`/plants?q=${ofQuery('name')}&tag=${ofQuery('tag')}`),
      listed([shown(10, long)]),
    ],
    ['the longest texts, deleted', remove(10), deleted],
    ['another page', get('/plants?limit=1'), listed([a], true)],
    ...['tag=indoor', 'q=', 'order=newest'].map(
      (query): Case => [`its next with ${query}`, get(`/plants?${query}&after=<next>`), otherCursor],
    ),
    ...[
      ...['', 'x', '1', '1..', '%00', '.'.repeat(100), '<next>%20', '<next>0000000000000000000'],
      writeCursor({}, { id: 0n }).replace(/^1/, '2'),
    ].map((after): Case => [`what is no next: ${after}`, get(`/plants?after=${after}`), otherCursor]),
    [
      'its next, with the order that is the default',
      get('/plants?order=id&limit=1&after=<next>'),
      listed([b], true),
    ],
    ...['0', '1001', '1.5', '', '01', '1e1'].map(
      (limit): Case => [
        `the limit ${limit}`,
        get(`/plants?limit=${limit}`),
        invalidQuery('limit', `must be an integer from 1 to ${MAX_PLANTS}`),
      ],
    ),
    ['an order that there is not', get('/plants?order=name'), invalidQuery('order', 'must be id or newest')],
    ['NUL', get('/plants?q=%00'), invalidQuery('q', 'must not contain the character NUL (U+0000)')],
    ...queryNames
      .flatMap((name) => ['1', '%'].map((second) => [name, second]))
      .map(
        ([name = '', second]): Case => [
          `${name} twice, the second time ${second}`,
          get(`/plants?${name}=1&${name}=${second}`),
          invalidQuery(name, 'must be given once'),
        ],
      ),
    ...queryNames
      .flatMap((name) =>
        ['%', '%zz', '%F', '%FF', '%C0%AF', '%ED%A0%80', 'a%E0%A4'].map((value) => [name, value]),
      )
      .map(
        ([name = '', value]): Case => [
          `${name} ${value}`,
          get(`/plants?${name}=${value}`),
          invalidQuery(name, 'must be percent-encoded UTF-8'),
        ],
      ),
    ...Object.entries(QUERY_MAX_LENGTHS)
      .flatMap(([name, length]) =>
        ['a', '%F0%9F%8C%B1', '.'].map((character) => [name, length, character] as const),
      )
      .map(
        ([name, length, character]): Case => [
          `${name} with too many ${character}`,
          get(`/plants?${name}=${character.repeat(length + 1)}`),
          invalidQuery(name, `must have at most ${length} characters`),
        ],
      ),
    ...[
      ['ids=1,31', 'ids'],
      ['color=1&color=2', 'color'],
      ['color=%FF', 'color'],
      ['%FF=1', '%FF'],
      ['%', '%'],
      ['Q=%zz', 'Q'],
      ['=1', ''],
    ].map(
      ([query, name = '']): Case => [
        `a parameter that it does not have: ${query}`,
        get(`/plants?${query}`),
        unknown(name, `there are ${queryNames.join(', ')}`),
      ],
    ),
    ['HEAD, without the body', get('/plants', 'HEAD'), ok('')],
    ['no token', { ...get('/plants'), headers: withoutToken }, noToken],
  ],
};
