import { type Scope, scopes } from '../src/access-token.js';
import type { contract } from '../src/contract.js';
import { INT64_MAX, INT64_MIN } from '../src/int64.js';
import { MAX_RECORDS, QUERY_MAX_LENGTHS } from '../src/limits.js';
import { messages, messagesOf } from '../src/messages.js';
import type { Operations } from '../src/operations.js';
import { type ResourceName, resources } from '../src/resources.js';
import { plants } from '../src/schemas.js';
import {
  type Case,
  each,
  int64,
  malformed,
  noToken,
  ok,
  type Reply,
  type Request,
  rejected,
} from './exchange.js';

const [min, max] = [INT64_MIN, INT64_MAX];
const notString = 'must be an integer, not a string (for a string, use idText)';
type Id = string | number | bigint;
/** Members of an object, whose values are JSON. */
type Members = Readonly<Record<string, string>>;

function object(members: Members): string {
  return `{${Object.entries(members).map(([name, value]) => `"${name}":${value}`)}}`;
}

const named = (names: readonly string[], text: (name: string) => string): Members =>
  Object.fromEntries(names.map((name) => [name, text(name)]));

const texts = messagesOf(resources.plant);

/** The texts that a plant must have, and all that it may have. */
const { fields } = resources.plant;
const fieldNames = Object.keys(fields);
const optional = fieldNames.filter((name) => !fields[name]?.required);
const required = named(
  fieldNames.filter((name) => fields[name]?.required),
  () => '"n"',
);
const all = named(fieldNames, (name) => `"A ${name}"`);
const empty = named(fieldNames, () => '""');

/** A plant as it is sent, and as it is shown by its id. */
const plant = (id: Id, texts: Members = {}) => object({ id: `${id}`, ...required, ...texts });
const shown = (id: Id, texts: Members = {}) =>
  object({ id: `${id}`, idText: `"${id}"`, ...required, ...texts, addedAt: '"now"' });
const without = (name: string, { [name]: _, ...texts }: Members) => texts;

const createOf = (body: string): Request => ({ line: 'POST /plants', body });
const create = (id: Id, texts?: Members) => createOf(plant(id, texts));
/** The position of the first plant of a batch. */
const first = '{"plants":['.length;
const batchOf = (body: string): Request => ({ line: 'POST /plants/batch', body });
const batch = (...plants: readonly string[]) => batchOf(`{"plants":[${plants}]}`);
const batchOfIds = (what: string, body: string): Request => ({ line: `POST /plants/batch/${what}`, body });
const getIds = (...ids: readonly string[]) => batchOfIds('get', `{"ids":[${ids}]}`);
const deleteIds = (...ids: readonly string[]) => batchOfIds('delete', `{"ids":[${ids}]}`);
const deletionsOf = (body: string) => batchOfIds('delete', body);
const deleteEach = (tags: Readonly<Record<string, string>>) =>
  deletionsOf(JSON.stringify({ ids: Object.keys(tags), ifMatch: Object.values(tags) }));
const updatesOf = (body: string) => batchOfIds('update', body);
const updates = (...plants: readonly string[]) => updatesOf(`{"plants":[${plants}]}`);
/** An item of these: a plant, on a condition. */
const update = (id: Id, ifMatch: string, texts: Members = {}) =>
  plant(id, { ...texts, ifMatch: JSON.stringify(ifMatch) });
const thousand = Array(MAX_RECORDS).fill('0');
const manyPlants = Array.from({ length: MAX_RECORDS }, (_, index) => plant(10_000 + index));
const get = (target: string, method = 'GET'): Request => ({ line: `${method} ${target}` });
const remove = (id: Id): Request => get(`/plants/${id}`, 'DELETE');
const removeIf = (headers: Request['headers']): Request => ({ ...remove(1), headers: { ...headers } });
const put = (id: Id, headers: Request['headers'], texts: Members = {}): Request => ({
  line: `PUT /plants/${id}`,
  headers: { ...headers },
  body: object({ ...required, ...texts }),
});
const getIf = (headers: Request['headers'], method = 'GET'): Request => ({
  ...get('/plants/1', method),
  headers: { ...headers },
});
const getUnless = (tags: string, method = 'GET') => getIf({ 'If-None-Match': tags }, method);
const ifLast = { 'If-Match': 'ETAG' };
const ifAny = { 'If-Match': '*' };
const ifNone = { 'If-None-Match': '*' };
const unlessLast = { 'If-None-Match': 'ETAG' };
/** The last `ETag` in lists, and as proxies change it. */
const namingLast = [
  'ETAG',
  '"x" ,ETAG',
  '"x",\tW/ETAG',
  ',ETAG,, "x" ,',
  '"a,b",ETAG',
  'W/ETAG',
  ...['-gzip', '-br', '-zstd', '--gzip', ';gzip', '-gzip-br', ':dtagent10'].map(
    (suffix) => `"OPAQUE${suffix}"`,
  ),
  'W/"OPAQUE-gzip"',
];
const namingOthers = ['"x"', '"OPAQUEgzip"', '"-OPAQUE"', 'W/"x", "y"', '""'];
const noTags = ['x', 'OPAQUE', '"x', '"x" "y"', '*, "x"', '*, *', '"*"', "'x'", 'W/x', ','];
/** What depends on a time, which no plant here has. */
const ofTimes = {
  'If-Modified-Since': new Date().toUTCString(),
  'If-Unmodified-Since': new Date(0).toUTCString(),
  'If-Range': '"x"',
  Range: 'bytes=0-1',
};
const [small, large] = [{ name: '"small"' }, { name: '"large"', tag: '"t"' }];

const created = (texts: Members = {}) => ok(object({ ...required, ...texts }));
const replayed = (texts: Members = {}) =>
  ok(object({ ...required, ...texts }), { 'idempotent-replayed': 'true' });
const invalid = (issues: string) => rejected('invalid_plant', `The plant is not valid: ${issues}.`);
const notObject = invalid('it must be a JSON object');
const notIdText = rejected('bad_request', texts.invalidIdText);
const invalidBatch = (issue: string) => rejected('invalid_plant', `The batch is not valid: ${issue}.`);
const duplicate = (name: string, position: number) =>
  malformed(`Duplicate member '${name}' with a different value at position ${position}`);
const tooLarge = (plants: number) => rejected('batch_too_large', texts.batchTooLarge(plants));
const taken = (id: bigint) => rejected('id_taken', texts.idTaken(id));
const retired = (id: bigint) => rejected('id_retired', texts.idRetired(id));
const changesOf = (query: string) => get(`/changes?${query}`);
const change = (kind: string, id: Id, texts?: Members) =>
  object({
    kind: `"${kind}"`,
    id: `${id}`,
    idText: `"${id}"`,
    ...(kind !== 'deleted' && { plant: shown(id, texts) }),
    at: '"now"',
  });
const changedBy = (changes: readonly string[]) => ok(`{"changes":[${changes}],"next":"…"}`);
const historyOf = (id: Id, query = '') => get(`/plants/${id}/history${query}`);
const state = (texts: Members, until?: string) =>
  object({ ...required, ...texts, from: '"now"', ...(until && { until }) });
const states = (...all: readonly string[]) => ok(`{"states":[${all}]}`);
const statesPage = (one: string) => ok(`{"states":[${one}],"next":"…"}`);
const changed = (id: bigint) => rejected('precondition_failed', texts.changed(id));
const excluded = (id: bigint) => rejected('precondition_failed', texts.excluded(id));
const exists = (id: bigint) => rejected('precondition_failed', texts.exists(id));
const invalidHeader = (name: string, problem: string) =>
  rejected('bad_request', `The request is not valid: the ${name} header ${problem}.`);
const invalidItem = rejected('bad_request', messages.invalidItemIfMatch);
const noItemCondition = rejected('precondition_required', texts.itemIfMatchRequired);
const invalidTags = (name: string) =>
  invalidHeader(name, 'must be an ETag from a reply, including its double quotes, or *');
const notFound = (id: bigint) => rejected('plant_not_found', texts.notFound(id));
const notModified: Reply = { status: 304, body: '', headers: {} };
const deleted: Reply = { status: 204, body: '', headers: {} };
const unknown = (parameter: string, known = 'has no query parameters') =>
  invalidQuery(parameter, `is unknown: this operation ${known}`);
const invalidQuery = (parameter: string, problem: string) =>
  rejected('bad_request', `The request is not valid: the query parameter ${parameter} ${problem}.`);
const invalidLimit = invalidQuery('limit', `must be an integer from 1 to ${MAX_RECORDS}`);
const listed = (plants: readonly string[], next = false, others: Readonly<Record<string, unknown>> = {}) => {
  const rest = Object.entries(others).map(([name, value]) => `,"${name}":${JSON.stringify(value)}`);
  return ok(`{"plants":[${plants}]${next ? ',"next":"…"' : ''}${rest.join('')}}`);
};
const tagged = (tags: Readonly<Record<string, number>>) =>
  ok(JSON.stringify({ tags: Object.entries(tags).map(([tag, plants]) => ({ tag, plants })) }));
/** Of a path that can only be read. */
const ofReadPath = (path: string): readonly Case[] => [
  ...['POST', 'PUT', 'DELETE'].map((method): Case => {
    const message = messages.methodNotAllowed(method, path, ['GET', 'HEAD']);
    return [method, get(path, method), rejected('method_not_allowed', message, { allow: 'GET, HEAD' })];
  }),
  ['HEAD, without the body', get(path, 'HEAD'), ok('')],
  noToken(get(path)),
];
const notAdmin = rejected('insufficient_scope', messages.missingScope('admin'), {
  'www-authenticate': 'Bearer realm="plant-store", error="insufficient_scope", scope="admin"',
});
const ownToken = ok(JSON.stringify({ id: 1, name: 'test', scopes }));
/** A token as it is shown by its id, those of the cases after the one that sends them, which has the id 1. */
const token = (id: number, tokenScopes: readonly Scope[], parts: object = {}) =>
  JSON.stringify({ id, name: 'shop', scopes: tokenScopes, createdAt: 'now', ...parts });
const firstToken = token(1, scopes).replace('shop', 'test');
const issued = (...token_: Parameters<typeof token>) => ok(token(...token_).replace(/}$/, ',"secret":"…"}'));
const tokenList = (...tokens: readonly string[]) => ok(`{"tokens":[${[firstToken, ...tokens]}]}`);
const postToken = (body: object | string, path = '/tokens', headers: Request['headers'] = {}): Request => ({
  line: `POST ${path}`,
  headers,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const rotate = (id: Id, body: object = { overlapSeconds: 3_600 }) => postToken(body, `/tokens/${id}/rotate`);
const revoke = (id: Id) => get(`/tokens/${id}`, 'DELETE');
const bySecret = { Authorization: 'Bearer SECRET' };
const reader = { name: 'shop', scopes: ['read'] };
const limited = { expiresAt: '2999-01-01T00:00:00.000Z', ratePerMinute: 600 };
const { expiresAt, ratePerMinute } = limited;
const invalidToken = (issues: string) =>
  rejected('invalid_token_request', `The new token is not valid: ${issues}.`);
const invalidRotation = (issues: string) =>
  rejected('invalid_token_request', `The rotation is not valid: ${issues}.`);
/** Requests for a token, each like the one of a reader but for these members. */
const readers = (...others: readonly object[]) => others.map((other) => postToken({ ...reader, ...other }));
const beyond = (message: string) => rejected('exceeds_issuer', message);
const beyondDelete = beyond(messages.scopeExceedsIssuer('delete'));
/** A request for a token by the last one that was issued. */
const ofLast = (others: object): Request => postToken({ ...reader, ...others }, '/tokens', bySecret);
const lastToken: Request = { ...get('/tokens/self'), headers: bySecret };
const noSuchToken = (id: bigint) => rejected('token_not_found', messages.tokenNotFound(id));
/** An entry of the audit, with the token of the cases as who did it. */
const deed = (number: number, action: string, tokenId: number, parts: object, by: object = byTest) =>
  JSON.stringify({
    number,
    at: 'now',
    by,
    action,
    token: { id: tokenId, name: 'shop', ...parts },
  });
const byTest = { id: 1, name: 'test' };
const byAdmin = (id: number) => ({ id, name: 'shop' });
const replacing = (entry: string, id: number) =>
  entry.replace(/}$/, `,"replaced":{"id":${id},"name":"shop"}}`);
const deeds: readonly string[] = [
  deed(6, 'token_revoked', 4, { scopes: ['read'] }, byAdmin(6)),
  replacing(deed(5, 'token_rotated', 6, { scopes: ['read', 'admin'] }), 3),
  replacing(deed(4, 'token_rotated', 5, { scopes: ['read'], ...limited }), 2),
  deed(3, 'token_created', 4, { scopes: ['read'] }, byAdmin(3)),
  deed(2, 'token_created', 3, { scopes: ['read', 'admin'] }),
  deed(1, 'token_created', 2, { scopes: ['read'], ...limited }),
];
const audited = (entries: readonly (string | undefined)[], next = false) =>
  ok(`{"entries":[${entries}]${next ? ',"next":"…"' : ''}}`);
/** Of an operation on one token. */
const ofTokenPath = (to: (id: Id) => Request): readonly Case[] => [
  ...each(noSuchToken(7n), to(7)),
  ...each(noSuchToken(max), to(max)),
  ...each(noSuchToken(min), to(min)),
  ...each(invalidId, to('x')),
  ...ofOtherNotation(to),
  ['a query', { ...to(7), line: `${to(7).line}?x=1` }, unknown('x')],
  noToken(to(7)),
];
/** The results of a batch: of each plant what a request of its own would have got. */
const resultsOf =
  (show: (reply: Reply) => string) =>
  (...replies: readonly Reply[]) =>
    ok(
      `{"results":[${replies.map((reply) =>
        reply.status < 300 ? show(reply) : reply.body.replace('{', `{"status":${reply.status},`),
      )}]}`,
    );
const results = resultsOf(
  ({ headers }) => `{"status":200,"replayed":${'idempotent-replayed' in headers},"etag":"…"}`,
);
const found = resultsOf(({ body }) => `{"status":200,"plant":${body},"etag":"…"}`);
const updated = found;
const removed = resultsOf(() => '{"status":204}');

/** A case of a batch: its items, and what each of them results in. */
const itemsOf = (
  title: string,
  to: (...items: readonly string[]) => Request,
  show: (...replies: readonly Reply[]) => Reply,
  ...rows: readonly (readonly [item: string, reply: Reply])[]
): Case => [title, to(...rows.map(([item]) => item)), show(...rows.map(([, reply]) => reply))];

/** Ids, by how they may be written in JSON; and what is none. */
const writtenIds = new Map<string, bigint>(
  Object.entries({ '20.0': 20n, '1e2': 100n, '1.25E+2': 125n, '9.223372036854775805e18': max - 2n }),
);
for (const id of [max, min, 0n, -1n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 53n + 1n, -(2n ** 53n) - 1n])
  writtenIds.set(`${id}`, id);
const notWrittenIds = [
  '"1"',
  '1.5',
  '1e-1',
  `${max + 1n}`,
  `${min - 1n}`,
  '9.223372036854775808e18',
  '1e400',
  `1.${'0'.repeat(40)}1`,
  '9'.repeat(400),
  'null',
  'true',
  '[1]',
  '{}',
];
/** An id that is not exact as a `number`, and a plant as it is shown, once `JSON.parse` has read its id. */
const beyond53 = 2n ** 53n + 1n;
const rounded = (id: bigint) => shown(id).replace(`${id}`, `${Number(id)}`);
const differ = (id: bigint) =>
  `idText "${id}" and id ${Number(id)} differ: send idText without id, because JavaScript's JSON.parse and other JSON parsers ` +
  'round integers beyond 2^53';
const exact = { name: '" e\u0301\\t\\"/\u007f "', tag: '"\u2028🪴"' };
const escaped = { name: '" e\\u0301\\t\\"/\\u007f "', tag: '"\\u2028\\ud83e\\udeb4"' };
const storedPlants: readonly (readonly [bigint, Members?])[] = [
  ...([[1n, all], [2n], [3n, empty], [4n, exact], [5n], [6n, { tag: '"t"' }]] as const),
  ...[...writtenIds.values()].map((id) => [id] as const),
].sort(([a], [b]) => (a < b ? -1 : 1));

/** What no text of a plant may be, in JSON, by why. */
const hasNul = 'must not contain the NUL character (U+0000)';
const isUnpaired = 'must not contain an unpaired surrogate';
const invalidTexts = {
  'must be a string': ['null', '7', '1e400', `${max}`, 'true', '[]', '{}'],
  [hasNul]: ['"\\u0000"', '"a\\u0000b"'],
  [isUnpaired]: ['"\\ud83e"', '"\\udeb4\\ud83e"'],
};

const invalidIds = ['x', '1.5', '0x1', '9223372036854775808', '%20', '1%00'];
/** Integers in another notation, by the shortest one. */
const otherNotations = {
  1: ['01', '+1', '1.0', '%31', '%EF%BC%91', '%E2%80%8E1'],
  0: ['-0', '00'],
  10: ['1e1', '%D9%A1%D9%A0'],
};
const invalidId = rejected('bad_request', `The request is not valid: the path parameter id ${int64}.`);
const ofOtherNotation = (to: (id: string) => Request): readonly Case[] =>
  Object.entries(otherNotations).flatMap(([id, others]) =>
    each(
      rejected('bad_request', `The request is not valid: the path parameter id must be written as ${id}.`),
      ...others.map((id) => to(id)),
    ),
  );
const invalidPath = rejected('bad_request', messages.invalidPath);
const invalidPaths = ['%', '%FF', '1%zz', '%E0%A4%A'];

/** Of an operation on one plant: how the id is written, and that it has no query. */
const ofPath = (method: string, parts: Partial<Request> = {}): readonly Case[] => {
  const to = (path: string) => ({ ...get(`/plants/${path}`, method), ...parts });
  return [
    ...each(invalidId, ...invalidIds.map(to)),
    ...ofOtherNotation(to),
    ...each(invalidPath, ...invalidPaths.map(to)),
    ['a query', to('1?x=1'), unknown('x')],
    noToken(to('1')),
  ];
};

/** What no `idText` may be, in JSON, by why. */
const invalidIdTexts = {
  [int64]: [...invalidIds, ''].map((id) => `"${id}"`),
  'must be written as 1': ['01', '+1', '1.0', '%31', ' 1', '1\\n'].map((id) => `"${id}"`),
  'must be written as 0': ['"-0"'],
  'must be written as 10': ['"1e1"'],
  'must be the ID as a string of digits': [...writtenIds.keys(), ...notWrittenIds].filter(
    (id) => id !== '"1"',
  ),
};

/** Of an operation on many ids: that they are a batch, and how each is written. */
const notIdTexts = Object.values(invalidIdTexts).flat();
const notIds = notIdTexts.map(() => notIdText);
const ofIds = (what: string): readonly Case[] => {
  const to = (body: string) => batchOfIds(what, body);
  return [
    ['what are no ids', to(`{"ids":[${notIdTexts}]}`), results(...notIds)],
    ['more than 1,000 ids', to(`{"ids":["1",${thousand}]}`), tooLarge(1_001)],
    ['a list as a batch', to('[]'), invalidBatch('it must be a JSON object')],
    ['no ids', to('{}'), invalidBatch('ids is required')],
    ['no list', to('{"ids":"1"}'), invalidBatch('ids must be a list of ids')],
    ['an empty list', to('{"ids":[]}'), invalidBatch('ids must have at least one id')],
    ...each(duplicate('ids', 13), to('{"ids":["1"],"ids":["2"]}')),
    ['a query', { ...to('{"ids":["1"]}'), line: `POST /plants/batch/${what}?x=1` }, unknown('x')],
    noToken(to('{"ids":["1"]}')),
  ];
};

/** Of an operation on a batch of plants. */
const ofPlants = (to: (body: string) => Request): readonly Case[] => [
  ['a list as a batch', to('[]'), invalidBatch('it must be a JSON object')],
  ['no plants', to('{}'), invalidBatch('plants is required')],
  ['no list', to('{"plants":{"length":[1]}}'), invalidBatch('plants must be a list of plants')],
  ['an empty list', to('{"plants":[]}'), invalidBatch('plants must have at least one plant')],
  ['a query', { ...to(`{"plants":[${plant(9)}]}`), line: `${to('').line}?x=1` }, unknown('x')],
  noToken(to('{"plants":[]}')),
];

/** The plants of the lists, by their ids, the last of which is the newest. */
const listedPlants: readonly (readonly [Id, Members])[] = [
  [min, { name: '"Monstera deliciosa"', tag: '"indoor"' }],
  [-1, { name: '"Fern"', tag: '"outdoor"' }],
  [0, { name: '""' }],
  ['9007199254740993', { name: '"\\"quotes\\", \\\\ and 🌱"', tag: '"indoor"' }],
  [max, { name: '"monstera adansonii"', tag: '""' }],
];
const [a = '', b = '', c = '', d = '', e = ''] = listedPlants.map((listedPlant) => shown(...listedPlant));
const byName = [c, d, b, e, a];
const longest = { name: '🌱'.repeat(QUERY_MAX_LENGTHS.q), tag: '🌱'.repeat(QUERY_MAX_LENGTHS.tag) };
const long = { name: `"${longest.name}"`, tag: `"${longest.tag}"` };
const queryNames = Object.keys(plants.query.shape);
/** Names, in JSON, and parts by which they are found. */
const searched = [
  ['"\u00c4pfelbaum"', 'äpfelb', 'ÄPFELBAUM', 'A\u0308PFELB', 'pfelB'],
  ['"A\u0308pfel-Stra\u00dfe"', 'strasse', 'äpfel-STRASSE', 'straße', 'STRAẞE'],
  ['"ΜΟΝΣΤΕΡΑΣ"', 'μονστερας', 'Μονστερασ'],
  ['"Işıl gülü"', 'IŞIL', 'işil', 'GÜLÜ'],
  ['"100% _x"', '0% _', '%', '_X'],
] as const;
const [past, future] = ['2000-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z'];
const notTime = 'must be a time with a UTC offset, such as 2026-11-25T10:00:00Z or 2026-11-25T11:00:00+01:00';
/** `past` as other programs write it: time.test.ts of the contract has more. */
const pastTimes = ['2000-01-01t00:00z', '2000-01-01 05:30:00+05:30', '1999-12-31T23:59:60.999999999Z'];
const notTimes = ['', '2026-11-25T10:00:00', '2026-11-25T10:00:00 0100', '2026-11-25 10:00', '1795600800000'];
/** Requests for lists, by their queries. */
const lists = (...queries: readonly string[]) => queries.map((query) => get(`/plants?${query}`));
const notEncoded = ['%', '%zz', '%F', '%FF', '%C0%AF', '%ED%A0%80', 'a%E0%A4'];
/** The cursor of a list without filters, of this and of every earlier version. */
const listCursor = '1.1l7s6su..0';
const notCursors = [
  'x',
  '1',
  '1..',
  '%00',
  '.'.repeat(100),
  '<next>%20',
  '<next>0000000000000000000',
  listCursor.replace(/^1/, '2'),
];
const notTagCursors = ['x', '1.tags.', '1.tags.1', '2.tags.A', '2.names.YQ', listCursor];
const notStateCursors = ['x', '1', '1.history.2.1', '1.history.1.0', '1.tags.1'];
const notAuditCursors = ['x', '0', '-1', '01', '1.5', '1e3', '9'.repeat(16), listCursor];
const otherCursor = rejected('bad_request', messages.invalidCursor);

/** The operations that these cases are about: those of plants and of tokens. */
export type CasedOperation = {
  [Name in keyof Operations]: (typeof contract)[Name]['metadata'] extends {
    readonly resource: Exclude<ResourceName, 'plant'>;
  }
    ? never
    : Name;
}[keyof Operations];

/** What plant stores do, by operation: each begins with an empty one. */
export const operationCases: Readonly<Record<CasedOperation, readonly Case[]>> = {
  createPlant: [
    ['every text', create(1, all), created(all)],
    ['the same plant again', create(1, all), replayed(all)],
    ...each(
      replayed(all),
      createOf(`{"height":1e400,${plant('10e-1', { ...all, name: '"\\u0041 name"' }).slice(1)}`),
    ),
    ...each(taken(1n), ...fieldNames.map((name) => create(1, { ...all, [name]: `"a ${name}"` }))),
    ...each(taken(1n), ...optional.map((name) => create(1, without(name, all)))),
    ...each(taken(1n), ...['"A NAME"', '"A name "', '" A name"'].map((name) => create(1, { ...all, name }))),
    ['texts swapped', create(1, { ...all, name: '"A tag"', tag: '"A name"' }), taken(1n)],
    ['the plant that was stored', create(1, all), replayed(all)],
    ['no more than the required texts', create(2), created()],
    ...each(taken(2n), ...optional.map((name) => create(2, { [name]: '""' }))),
    ['the required texts again', create(2), replayed()],
    ['empty texts', create(3, empty), created(empty)],
    ...each(taken(3n), ...optional.map((name) => create(3, without(name, empty)))),
    ['exact texts', create(4, escaped), created(exact)],
    ['another form of the same text', create(4, { ...exact, name: '" \u00e9\\t\\"/\u007f "' }), taken(4n)],
    ...each(created(), ...[...writtenIds.keys()].map((id) => create(id))),
    ['the id -0, which is 0', create('-0'), replayed()],
    ...each(
      replayed(),
      createOf(shown(beyond53)),
      createOf(object({ idText: `"${beyond53}"`, ...required })),
    ),
    ['a plant as JSON.parse reads it', createOf(rounded(beyond53)), invalid(differ(beyond53))],
    ['the largest id for another plant', create(max, { name: '"m"' }), taken(max)],
    ...each(notObject, ...['null', '[]', '"x"', '7', 'true'].map(createOf)),
    ...each(invalid('id is required; name is required'), ...['{}', '{"ID":1,"Name":"n"}'].map(createOf)),
    ...each(
      invalid(`id is required; name ${hasNul}; tag ${isUnpaired}`),
      createOf('{"name":"\\u0000","tag":"\\ud800"}'),
    ),
    ...each(created({ tag: '"t"' }), createOf('{"x":1,"tag":"t","id":6,"name":"n","_id":2,"Name":"N"}')),
    ...each(
      invalid(`id ${notString}; name must be a string; tag must be a string`),
      createOf('{"id":"1","name":null,"tag":7}'),
    ),
    ...each(invalid(`id ${notString}`), ...['"1"', `"${beyond53}"`].map((id) => create(id))),
    ...each(invalid(`id ${int64}`), ...notWrittenIds.filter((id) => id !== '"1"').map((id) => create(id))),
    ...Object.entries(invalidIdTexts).flatMap(([issue, ids]) =>
      each(invalid(`idText ${issue}`), ...ids.map((id) => createOf(object({ idText: id, ...required })))),
    ),
    ...fieldNames.flatMap((name) =>
      Object.entries(invalidTexts).flatMap(([issue, texts]) =>
        each(invalid(`${name} ${issue}`), ...texts.map((text) => create(5, { [name]: text }))),
      ),
    ),
    ['a query', { ...create(5), line: 'POST /plants?id=7' }, unknown('id')],
    ['no id of an invalid plant is taken', create(5), created()],
    ['an invalid plant under a taken id', create(5, { name: '7' }), invalid('name must be a string')],
    ['what is stored', get('/plants'), listed(storedPlants.map((stored) => shown(...stored)))],
    ['a plant with its tag', create(50, small), created(small)],
    ['its tag, which a read has, too', { ...get('/plants/50'), headers: unlessLast }, notModified],
    ['an update without a read', put(50, ifLast, large), ok(shown(50, large))],
    ['a late retry of the create', create(50, small), replayed(small)],
    ['the tag of what was created, which has changed since', put(50, ifLast, all), changed(50n)],
    ['the last tag', get('/plants/50'), ok(shown(50, large))],
    ['as it was created', put(50, ifLast, small), ok(shown(50, small))],
    ['another retry of the create', create(50, small), replayed(small)],
    ['the tag of what was created, which it is again', put(50, ifLast, large), ok(shown(50, large))],
    ...[created(), replayed()].flatMap((reply) =>
      each(reply, { ...create(51), headers: { ...ifNone, 'If-Match': '"x"' } }),
    ),
  ],

  createPlants: [
    ...each(results(created(), created(), created()), batch(plant(1, all), plant(max), plant(min))),
    ...each(results(replayed(), replayed(), replayed()), batch(plant(min), plant(1, all), plant(max))),
    itemsOf(
      'results as requests of their own would have had: none stops the others',
      batch,
      results,
      [plant(2), created()],
      [plant(1), taken(1n)],
      [plant(1, all), replayed()],
      ['{"name":"no id"}', invalid('id is required')],
      ['7', notObject],
      ['null', notObject],
      ['[{"id":1}]', notObject],
      [plant(3, { name: '"a\\u0000"' }), invalid(`name ${hasNul}`)],
      [plant(max + 1n), invalid(`id ${int64}`)],
      [plant(4, { tag: '5' }), invalid('tag must be a string')],
      [plant(5), created()],
    ),
    ...each(
      results(created(), taken(6n), replayed(), taken(6n)),
      batch(plant(6), plant(6, all), plant(6), plant(6, { tag: '""' })),
    ),
    [
      'ids as text, and plants as JSON.parse reads them',
      batch(object({ idText: `"${beyond53}"`, ...required }), rounded(beyond53), shown(6), shown(max)),
      results(created(), invalid(differ(beyond53)), replayed(), replayed()),
    ],
    ['not its neighbor', get(`/plants/${beyond53 - 1n}`), notFound(beyond53 - 1n)],
    ['more than 1,000 plants', batch(...manyPlants, plant(1)), tooLarge(1_001)],
    ['none of them is stored', get('/plants/10000'), notFound(10_000n)],
    ['1,000 plants', batch(...manyPlants), results(...manyPlants.map(() => created()))],
    ['many more, none an object', batchOf(`{"plants":[${'[],'.repeat(340_000)}[]]}`), tooLarge(340_001)],
    ['too many, one with a member twice', batch(...thousand, '{"id":1,"id":2}'), tooLarge(1_001)],
    ...each(
      malformed(`Expected ',' or ']' but got '1' at position ${first + 2_001}`),
      batch(...thousand, '01'),
    ),
    ...ofPlants(batchOf),
    ...each(
      results(created()),
      batchOf(`{"x":1,"plants":[{"x":1,"x":2,${plant(7).slice(1)}],"x":2}`),
      batchOf(`{"plants":[${plant(8)}],"plants":[${plant(8)}]}`),
    ),
    ...each(duplicate('id', first + 8), batch('{"id":1,"id":2}')),
    ...each(duplicate('plants', first + 10), batchOf('{"plants":[{"id":1}],"plants":[{"id":2}]}')),
    ['a plant with its tag in the result', batch(plant(5), plant(50, small)), results(replayed(), created())],
    ['its tag, which a read has, too', { ...get('/plants/50'), headers: unlessLast }, notModified],
    ['an update without a read', put(50, ifLast, large), ok(shown(50, large))],
    ['a late retry of the create', batch(plant(50, small)), results(replayed())],
    ['the tag of what was created, which has changed since', put(50, ifLast, all), changed(50n)],
    ['to be deleted', remove(50), deleted],
    ...each(
      listed([shown(min), shown(1, all), ...[2, 5, 6, 7, 8, 10_000].map((id) => shown(id))], true),
      get('/plants?limit=8'),
    ),
  ],

  getPlants: [
    ...[1n, 2n ** 53n + 1n, max].flatMap((id) => each(created(all), create(id, all))),
    ['a plant, deleted', create(2), created()],
    ['a plant, to be deleted', remove(2), deleted],
    ...ofIds('get'),
    itemsOf(
      'each in the order sent, also twice: none stops the others',
      getIds,
      found,
      [`"${max}"`, ok(shown(max, all))],
      ['"2"', notFound(2n)],
      ['7', notIdText],
      ['"9007199254740992"', notFound(2n ** 53n)],
      ['"9007199254740993"', ok(shown(beyond53, all))],
      ['"1"', ok(shown(1, all))],
      ['"1"', ok(shown(1, all))],
    ),
    ['an update', put(1, ifAny, small), ok(shown(1, small))],
    ['what it is now', getIds('"1"'), found(ok(shown(1, small)))],
    ['its tag, which a read has, too', { ...get('/plants/1'), headers: unlessLast }, notModified],
    [
      '1,000 ids',
      getIds(...thousand.map((_, at) => `"${at + 10}"`)),
      found(...thousand.map((_, at) => notFound(BigInt(at + 10)))),
    ],
  ],

  deletePlants: [
    ...[1n, 2n, 2n ** 53n + 1n, max].flatMap((id) => each(created(all), create(id, all))),
    ...ofIds('delete'),
    itemsOf(
      'each in the order sent, also twice: none stops the others',
      deleteIds,
      removed,
      [`"${max}"`, deleted],
      ['"7"', notFound(7n)],
      ['1', notIdText],
      ['"9007199254740992"', notFound(2n ** 53n)],
      ['"9007199254740993"', deleted],
      ['"1"', deleted],
      ['"1"', deleted],
    ),
    [
      'the same again, whatever is meant',
      { ...deleteIds('"1"', `"${max}"`), headers: { ...ifNone, 'If-Match': '"x"' } },
      removed(deleted, deleted),
    ],
    ['their ids in a batch', batch(plant(1, all), plant(7)), results(retired(1n), created())],
    ['what is left', get('/plants'), listed([shown(2, all), shown(7)])],
    ...each(
      invalidBatch('ifMatch must have as many ETags as there are IDs: 2, not 1'),
      deletionsOf('{"ids":["2","7"],"ifMatch":["*"]}'),
    ),
    ...each(
      invalidBatch('ifMatch must be a list of ETags'),
      ...['"*"', 'null', '{}'].map((tags) => deletionsOf(`{"ids":["2"],"ifMatch":${tags}}`)),
    ),
    ...each(invalidBatch('ifMatch must have at least one ETag'), deletionsOf('{"ids":["2"],"ifMatch":[]}')),
    ...each(tooLarge(1_001), deletionsOf(`{"ids":["1",${thousand}],"ifMatch":["*",${thousand}]}`)),
    ...each(duplicate('ifMatch', 29), deletionsOf('{"ids":["2"],"ifMatch":["*"],"ifMatch":["x"]}')),
    ['the last tag', get('/plants/7'), ok(shown(7))],
    ...each(
      removed(changed(2n)),
      deleteEach({ 2: 'ETAG' }),
      ...namingOthers.map((tag) => deleteEach({ 2: tag })),
    ),
    ...each(
      removed(invalidItem),
      ...['', ...noTags].map((tag) => deleteEach({ 2: tag })),
      ...['7', 'null', '["*"]'].map((tag) => deletionsOf(`{"ids":["2"],"ifMatch":[${tag}]}`)),
    ),
    ['nothing was deleted by these', get('/plants'), listed([shown(2, all), shown(7)])],
    ['a plant to be deleted', create(8), created()],
    ['and its tag', getIds('"8"'), found(ok(shown(8)))],
    [
      'each on a condition of its own',
      deleteEach({ 1: '"x"', 2: '"x"', 8: 'ETAG', 9: '*', '01': '*' }),
      removed(deleted, changed(2n), deleted, notFound(9n), notIdText),
    ],
    ['the same again', deleteEach({ 1: '"x"', 2: '"x"', 8: 'ETAG' }), removed(deleted, changed(2n), deleted)],
    // One after the other.
    ...each(
      removed(changed(7n), deleted, deleted),
      deletionsOf('{"ids":["7","7","7"],"ifMatch":["\\"x\\"","*","\\"x\\""]}'),
    ),
    ['another one, in its place', create(17), created()],
    ['1,000 plants, to be deleted', batch(...manyPlants), results(...manyPlants.map(() => created()))],
    [
      '1,000 ids',
      deleteIds(...thousand.map((_, at) => `"${at + 10_000}"`)),
      removed(...thousand.map(() => deleted)),
    ],
    ['what is left still', get('/plants'), listed([shown(2, all), shown(17)])],
  ],

  updatePlants: [
    ...[1n, 2n, 3n, beyond53].flatMap((id) => each(created(all), create(id, all))),
    [
      'ids that never were one',
      updates(update(7, '"x"'), update(max, '*')),
      updated(notFound(7n), notFound(max)),
    ],
    ['the last tag', get('/plants/1'), ok(shown(1, all))],
    [
      'no condition, or what is none',
      updates(
        plant(1, small),
        ...['', ...noTags].map((tags) => update(1, tags, small)),
        ...['7', 'null', '["*"]', '{}'].map((tags) => plant(1, { ...small, ifMatch: tags })),
      ),
      updated(noItemCondition, ...[...noTags, '', 7, null, [], {}].map(() => invalidItem)),
    ],
    [
      'conditions that are false',
      updates(...namingOthers.map((tags) => update(1, tags, small)), update(2, 'ETAG', small)),
      updated(...namingOthers.map(() => changed(1n)), changed(2n)),
    ],
    itemsOf(
      'what is not valid: nothing stops the others',
      updates,
      updated,
      ['7', notObject],
      ['null', notObject],
      ['[{"id":1}]', notObject],
      ['{"ifMatch":"*"}', invalid('id is required; name is required')],
      [object({ id: '1', ifMatch: '"*"' }), invalid('name is required')],
      [update(1, '*', { name: 'null' }), invalid('name must be a string')],
      [plant(1, { name: 'null' }), invalid('name must be a string')],
      [update(max + 1n, '*'), invalid(`id ${int64}`)],
      [rounded(beyond53).replace('}', ',"ifMatch":"*"}'), invalid(differ(beyond53))],
      [update(3, '*', small), ok(shown(3, small))],
    ),
    [
      'nothing else was changed by these',
      get('/plants'),
      listed([shown(1, all), shown(2, all), shown(3, small), shown(beyond53, all)]),
    ],
    ['the last tag again', get('/plants/1'), ok(shown(1, all))],
    ['the plant that was read', updates(update(1, 'ETAG', small)), updated(ok(shown(1, small)))],
    ['its tag, which a read has, too', { ...get('/plants/1'), headers: unlessLast }, notModified],
    ['without a read', updates(update(1, 'ETAG', large)), updated(ok(shown(1, large)))],
    ['the same again, whatever is meant', updates(update(1, '"x"', large)), updated(ok(shown(1, large)))],
    ...namingLast.flatMap((tags, at) => {
      const texts = at % 2 === 0 ? small : large;
      return each(updated(ok(shown(1, texts))), updates(update(1, tags, texts)));
    }),
    ['a late retry of the create', batch(plant(1, all)), results(replayed())],
    ['the tag of what was created', updates(update(1, 'ETAG', all)), updated(changed(1n))],
    ['the last tag once more', get('/plants/2'), ok(shown(2, all))],
    itemsOf(
      'one id several times, one after the other',
      updates,
      updated,
      [update(2, 'ETAG', small), ok(shown(2, small))],
      [update(2, 'ETAG', large), changed(2n)],
      [update(2, 'ETAG', small), ok(shown(2, small))],
      [update(2, '*', large), ok(shown(2, large))],
      [update(1, '*', all), ok(shown(1, all))],
      [update(2, '*'), ok(shown(2))],
    ),
    itemsOf(
      'ids as text, and plants as they were read',
      updates,
      updated,
      [object({ idText: `"${beyond53}"`, ...required, ifMatch: '"*"' }), ok(shown(beyond53))],
      [shown(1, all).replace(/}$/, ',"ifMatch":"*"}'), ok(shown(1, all))],
    ),
    [
      'as requests of their own would have headers, which count for none',
      { ...updates(update(1, '*', small)), headers: { ...ifNone, 'If-Match': '"x"' } },
      updated(ok(shown(1, small))),
    ],
    ['to be deleted', remove(2), deleted],
    ['a deleted plant', updates(update(2, '*'), update(1, '*')), updated(notFound(2n), ok(shown(1)))],
    ['what came of all', get('/plants'), listed([shown(1), shown(3, small), shown(beyond53)])],
    ['more than 1,000 plants', updates(update(3, '*'), ...thousand), tooLarge(1_001)],
    ['none of them is updated', get('/plants/3'), ok(shown(3, small))],
    ['1,000 plants, to be updated', batch(...manyPlants), results(...manyPlants.map(() => created()))],
    [
      '1,000 plants',
      updates(...manyPlants.map((_, at) => update(10_000 + at, '*', small))),
      updated(...manyPlants.map((_, at) => ok(shown(10_000 + at, small)))),
    ],
    ...ofPlants(updatesOf),
    ...each(duplicate('ifMatch', first + 15), updates('{"ifMatch":"*","ifMatch":"x"}')),
  ],

  updatePlant: [
    ['an id that never was one', put(1, { 'If-Match': '"x"' }), notFound(1n)],
    [
      'an id that never was one, for a new plant',
      put(1, ifNone),
      rejected('plant_not_found', texts.idNeverUsed(1n)),
    ],
    ['an id that never was one, unless it is another', put(1, { 'If-None-Match': '"x"' }), notFound(1n)],
    ['it is not taken by these', create(1, all), created(all)],
    ...ofPath('PUT', { headers: ifAny, body: object(required) }),
    ...each(
      rejected('precondition_required', texts.preconditionRequired),
      ...[{}, ofTimes, { 'If-None-Match': '' }].map((headers) => put(1, headers)),
    ),
    ...each(invalidTags('if-match'), ...['', ...noTags].map((tags) => put(1, { 'If-Match': tags }))),
    ...each(invalidTags('if-none-match'), ...noTags.map((tags) => put(1, { 'If-None-Match': tags }))),
    ['no object', { ...put(1, ifAny), body: '[]' }, notObject],
    ['an invalid text', put(1, ifAny, { name: 'null' }), invalid('name must be a string')],
    ['no text', { ...put(1, ifAny), body: '{"id":2}' }, invalid('name is required')],
    ['the last tag', get('/plants/1'), ok(shown(1, all))],
    ...each(
      changed(1n),
      ...namingOthers.map((tags) => put(1, { 'If-Match': tags }, small)),
      put(1, { 'If-Match': '"x"', 'If-None-Match': '"x"' }, small),
    ),
    ...each(
      excluded(1n),
      ...namingLast.map((tags) => put(1, { 'If-None-Match': tags }, small)),
      ...[ifAny, ifLast].map((both) => put(1, { ...both, ...ifNone }, small)),
      put(1, { ...ifAny, ...unlessLast }, small),
      put(1, unlessLast, all),
    ),
    ['a new plant under the id of one', put(1, ifNone, small), exists(1n)],
    ['nothing was changed by these', get('/plants/1'), ok(shown(1, all))],
    ['the plant that was read', put(1, ifLast, small), ok(shown(1, small))],
    ['it is shown', get('/plants/1'), ok(shown(1, small))],
    ['it is listed', get('/plants'), listed([shown(1, small)])],
    ['a late retry of the create', create(1, all), replayed(all)],
    ['a late retry in a batch', batch(plant(1, all)), results(replayed())],
    ['a create of what it was updated to', create(1, small), taken(1n)],
    ['nothing was reverted by these', get('/plants/1'), ok(shown(1, small))],
    ['a retry of the update', put(1, { 'If-Match': '"x"' }, small), ok(shown(1, small))],
    ...namingLast.flatMap((tags, at) => {
      const texts = at % 2 === 0 ? large : small;
      return each(ok(shown(1, texts)), put(1, { 'If-Match': tags }, texts));
    }),
    ['any but another one', put(1, { 'If-None-Match': '"x"' }, large), ok(shown(1, large))],
    ['any but another one, again', put(1, { 'If-None-Match': '"x"' }, large), ok(shown(1, large))],
    ['this one, and not another', put(1, { ...ifLast, 'If-None-Match': '"x"' }, small), ok(shown(1, small))],
    ['whatever it is', put(1, { ...ifAny, ...ofTimes, 'If-None-Match': '' }, all), ok(shown(1, all))],
    ['a create of what it was and is again', create(1, all), replayed(all)],
    ['to be deleted', remove(1), deleted],
    ...each(
      notFound(1n),
      ...[ifAny, { 'If-None-Match': '"x"' }, { ...ifAny, ...ifNone }].map((headers) =>
        put(1, headers, small),
      ),
    ),
    ['the id reused', put(1, ifNone, large), ok(shown(1, large))],
    ['a retry of that', put(1, ifNone, large), exists(1n)],
    ['a late retry of the first create', create(1, all), taken(1n)],
    ['a create of what was given', create(1, large), replayed(large)],
    ['the plant that was given', put(1, ifLast, small), ok(shown(1, small))],
    ['a create of what was given and is updated', create(1, large), replayed(large)],
    ['to be deleted again', remove(1), deleted],
    ['a create of a deleted plant', create(1, large), retired(1n)],
    ['the largest id', create(max), created()],
    ['the largest id, updated', put(max, ifAny, small), ok(shown(max, small))],
  ],

  deletePlant: [
    ['an id that never was one', remove(1), notFound(1n)],
    ['it is not taken by that', create(1, all), created(all)],
    ...ofPath('DELETE'),
    ...each(invalidTags('if-match'), ...['', ...noTags].map((tags) => removeIf({ 'If-Match': tags }))),
    ...each(invalidTags('if-none-match'), ...noTags.map((tags) => removeIf({ 'If-None-Match': tags }))),
    ['the last tag', get('/plants/1'), ok(shown(1, all))],
    ...each(changed(1n), ...namingOthers.map((tags) => removeIf({ 'If-Match': tags }))),
    ...each(
      excluded(1n),
      ...['*', ...namingLast].map((tags) => removeIf({ 'If-None-Match': tags })),
      removeIf({ ...ifLast, ...ifNone }),
    ),
    ['nothing was deleted by these', get('/plants/1'), ok(shown(1, all))],
    ...namingLast.flatMap((tags, at): readonly Case[] => [
      ...each(deleted, removeIf({ 'If-Match': tags }), removeIf({ 'If-Match': tags })),
      [`the id reused ${at}`, put(1, ifNone, all), ok(shown(1, all))],
    ]),
    ['any but another one', removeIf({ 'If-None-Match': '"x"', ...ofTimes }), deleted],
    ['a deleted plant, unless one is there', removeIf(ifNone), deleted],
    ['an id that never was one, whatever is meant', { ...remove(7), headers: ifAny }, notFound(7n)],
    ['it is gone', get('/plants/1'), notFound(1n)],
    ['it is in no list', get('/plants'), listed([])],
    ['its id for the same plant', create(1, all), retired(1n)],
    ['its id for another plant', create(1), retired(1n)],
    ['its id in a batch', batch(plant(1), plant(2)), results(retired(1n), created())],
    ['the largest id', create(max), created()],
    ['the largest id, deleted', remove(max), deleted],
    ['the largest id again', create(max), retired(max)],
    ['the smallest id, that never was one', remove(min), notFound(min)],
    ['what is left', get('/plants'), listed([shown(2)])],
  ],

  getPlant: [
    ['an id that no plant has', get('/plants/1'), notFound(1n)],
    ...[1n, min, 9007199254740993n, max].flatMap((id): readonly Case[] => [
      [`a plant to be found: ${id}`, create(id, all), created(all)],
      [`every text, and the digits of the id: ${id}`, get(`/plants/${id}`), ok(shown(id, all))],
    ]),
    ['an adjacent id', get('/plants/9007199254740992'), notFound(9007199254740992n)],
    ['a plant', get('/plants/1'), ok(shown(1n, all))],
    ...each(
      notModified,
      ...['*', ...namingLast].map((tags) => getUnless(tags)),
      getUnless('ETAG', 'HEAD'),
      getIf({ ...ifLast, ...unlessLast }),
    ),
    ...each(
      ok(shown(1, all)),
      ...['', ...noTags.slice(0, 2), ...namingOthers].map((tags) => getUnless(tags)),
      ...['*', ...namingLast].map((tags) => getIf({ 'If-Match': tags })),
      getIf({ ...ifLast, 'If-None-Match': '"x"' }),
      getIf(ofTimes),
    ),
    ...each(
      changed(1n),
      ...namingOthers.map((tags) => getIf({ 'If-Match': tags })),
      getIf({ 'If-Match': '"x"', ...ifNone }),
    ),
    ...each({ ...changed(1n), body: '' }, getIf({ 'If-Match': '"x"' }, 'HEAD')),
    ...each(invalidTags('if-match'), ...['', ...noTags].map((tags) => getIf({ 'If-Match': tags }))),
    ['an id that no plant has, whatever is meant', { ...getIf(ifAny), line: 'GET /plants/7' }, notFound(7n)],
    [
      'an id that no plant has, whatever is known',
      { ...getUnless('*'), line: 'GET /plants/7' },
      notFound(7n),
    ],
    ['HEAD, without the body', get('/plants/1', 'HEAD'), ok('')],
    ['HEAD of an id that no plant has', get('/plants/7', 'HEAD'), { ...notFound(7n), body: '' }],
    ...ofPath('GET'),
    ['the path of the batch', get('/plants/batch'), invalidId],
  ],

  listPlants: [
    ['no plant', get('/plants'), listed([])],
    ['conditions', { ...get('/plants'), headers: { ...ifNone, 'If-Match': '"x"' } }, listed([])],
    ...listedPlants.flatMap(([id, texts]) => each(created(texts), create(id, texts))),
    ...each(listed([a, b, c, d, e]), ...lists('', 'limit=5', 'q=', 'order=id')),
    ['the first page', get('/plants?limit=2'), listed([a, b], true)],
    ['the page after it', get('/plants?limit=2&after=<next>'), listed([c, d], true)],
    ['the last page, with another limit', get('/plants?limit=1000&after=<next>'), listed([e])],
    ['newest first', get('/plants?order=newest&limit=2'), listed([e, d], true)],
    ['the page after them', get('/plants?order=newest&limit=2&after=<next>'), listed([c, b], true)],
    ['the oldest', get('/plants?order=newest&limit=2&after=<next>'), listed([a])],
    ['a tag', get('/plants?tag=indoor'), listed([a, d])],
    ...each(
      listed([]),
      ...lists('q=nothing', ...fieldNames.flatMap((name) => (fields[name]?.filter ? `${name}=nothing` : []))),
    ),
    ['a tag, one at a time', get('/plants?tag=indoor&limit=1'), listed([a], true)],
    ['its next plant', get('/plants?tag=indoor&limit=100&after=<next>'), listed([d])],
    ['an empty tag, which differs from none', get('/plants?tag='), listed([e])],
    ['a part of the name, in another case', get('/plants?q=MONSTERA'), listed([a, e])],
    ...searched.flatMap(([name], index) => each(created({ name }), create(20 + index, { name }))),
    ...searched.flatMap(([name, ...parts], index) =>
      each(
        listed([shown(20 + index, { name })]),
        ...lists(...parts.map((part) => `q=${encodeURIComponent(part)}`)),
      ),
    ),
    ...each(listed([]), ...lists('q=apfel', 'q=a%25b', 'q=g%25')),
    ...searched.flatMap((_, index) => each(deleted, remove(20 + index))),
    ['a part of the name, tag and order', get('/plants?q=monstera&tag=indoor&order=newest'), listed([a])],
    ['an emoji', get('/plants?q=%F0%9F%8C%B1'), listed([d])],
    ['the longest texts, to be listed', create(10, long), created(long)],
    ...each(listed([shown(10, long)]), get(encodeURI(`/plants?q=${longest.name}&tag=${longest.tag}`))),
    ['the longest texts, deleted', remove(10), deleted],
    ['another page', get('/plants?limit=1'), listed([a], true)],
    ...each(otherCursor, ...lists('tag=indoor&after=<next>', 'q=&after=<next>', 'order=newest&after=<next>')),
    ...each(otherCursor, ...notCursors.map((after) => get(`/plants?after=${after}`))),
    ['its next, with the default order', get('/plants?order=id&limit=1&after=<next>'), listed([b], true)],
    ['an empty start', get('/plants?limit=1&after='), listed([a], true)],
    ...each(invalidLimit, ...lists(...['0', '1001', '1.5', '', '0x1'].map((limit) => `limit=${limit}`))),
    ...each(
      invalidQuery('limit', 'must be written as 10'),
      ...['010', '1e1', '%2B10', '+10', '%D9%A1%D9%A0'].map((limit) => get(`/plants?limit=${limit}`)),
    ),
    [
      'an order that there is not',
      get('/plants?order=tag'),
      invalidQuery('order', 'must be id, -id, newest, oldest, name or -name'),
    ],
    ['the oldest first', get('/plants?order=oldest&limit=2'), listed([a, b], true)],
    ['those after the oldest', get('/plants?order=oldest&limit=2&after=<next>'), listed([c, d], true)],
    ['the largest ids first', get('/plants?order=-id&limit=3'), listed([e, d, c], true)],
    ['by name', get('/plants?order=name&limit=2'), listed(byName.slice(0, 2), true)],
    ['the next by name', get('/plants?order=name&limit=9&after=<next>'), listed(byName.slice(2))],
    ['by name, descending', get('/plants?order=-name'), listed(byName.toReversed())],
    ['several tags', get('/plants?tags=indoor&tags='), listed([a, d, e])],
    ['a tag beside another one', get('/plants?tags=indoor&tag=&limit=2'), listed([a, d], true)],
    ['the next of them', get('/plants?tags=indoor&tag=&limit=2&after=<next>'), listed([e])],
    ['one of several', get('/plants?tags=outdoor'), listed([b])],
    ['none', get('/plants?without=tag'), listed([c])],
    ['a tag, or none', get('/plants?tag=outdoor&without=tag'), listed([b, c])],
    ['a field that all have', get('/plants?without=name'), invalidQuery('without', 'must be tag')],
    [
      'too many tags',
      get(`/plants?${'&tags=a'.repeat(21).slice(1)}`),
      invalidQuery('tags', 'must appear at most 20 times'),
    ],
    ['only ids', get('/plants?fields=id&limit=2'), ok(`{"plants":[],"ids":["${min}","-1"],"next":"…"}`)],
    ['all fields', get('/plants?fields=&limit=1'), listed([a], true)],
    ['a field alone', get('/plants?fields=name'), invalidQuery('fields', 'must be id')],
    ['how many there are', get('/plants?limit=1&total=true'), listed([a], true, { total: 5 })],
    ['how many have a tag', get('/plants?tag=indoor&total=true'), listed([a, d], false, { total: 2 })],
    ['how many have a name', get('/plants?q=monstera&total=true'), listed([a, e], false, { total: 2 })],
    ['not how many', get('/plants?total=false&limit=5'), listed([a, b, c, d, e])],
    ['how many, in another way', get('/plants?total=1'), invalidQuery('total', 'must be true or false')],
    ['NUL', get('/plants?q=%00'), invalidQuery('q', hasNul)],
    ...each(
      listed([a, b, c, d, e]),
      ...lists(`addedFrom=${past}`, `addedBefore=${future}`, `addedFrom=${past}&addedBefore=${future}`),
    ),
    ...each(
      listed([]),
      ...lists(`addedFrom=${future}`, `addedBefore=${past}`, `addedBefore=${past}&order=newest`),
    ),
    ...each(
      listed([a, b, c, d, e]),
      ...lists(...pastTimes.map((time) => `addedFrom=${encodeURIComponent(time)}`)),
      // A plus sign that is not percent-encoded.
      ...lists('addedFrom=2000-01-01T01:00:00+01:00', 'addedFrom=2000-01-01+01:00:00+01:00'),
    ),
    ['the last of them', get(`/plants/${listedPlants.at(-1)?.[0]}`), ok(e)],
    ...[
      [listed([e]), 'addedFrom=<addedAt>Z', 'addedFrom=<addedAt>0000+00:00'],
      [listed([]), 'addedFrom=<addedAt>0001Z', 'addedFrom=<addedAt>000001-00:00'],
      [listed([a, b, c, d]), 'addedBefore=<addedAt>Z', 'addedBefore=<addedAt>000Z'],
      [listed([a, b, c, d, e]), 'addedBefore=<addedAt>0001Z'],
    ].flatMap(([reply, ...queries]) => each(reply as Reply, ...lists(...(queries as string[])))),
    [
      'the newest of a time',
      get(`/plants?order=newest&limit=4&addedFrom=${past}&addedBefore=${future}`),
      listed([e, d, c, b], true),
    ],
    [
      'those after them',
      get(`/plants?order=newest&addedFrom=${past}&addedBefore=${future}&after=<next>`),
      listed([a]),
    ],
    ...['addedFrom', 'addedBefore'].flatMap((name) =>
      each(
        invalidQuery(name, notTime),
        ...lists(...notTimes.map((time) => `${name}=${encodeURIComponent(time)}`)),
      ),
    ),
    ...queryNames
      .filter((name) => name !== 'tags')
      .flatMap((name) => [
        ...each(
          invalidQuery(name, 'must appear only once'),
          ...lists(...['1', '%'].map((value) => `${name}=1&${name}=${value}`)),
        ),
        ...each(
          invalidQuery(name, 'must be percent-encoded UTF-8'),
          ...lists(...notEncoded.map((value) => `${name}=${value}`)),
        ),
      ]),
    ...Object.entries(QUERY_MAX_LENGTHS).flatMap(([name, length]) =>
      each(
        invalidQuery(name, `must have at most ${length} characters`),
        ...lists(...['a', '%F0%9F%8C%B1', '.'].map((character) => `${name}=${character.repeat(length + 1)}`)),
      ),
    ),
    ...['ids=1,31', 'color=1&color=2', 'color=%FF', '%FF=1', '%', 'Q=%zz', '=1'].flatMap((query) =>
      each(unknown(query.replace(/=.*/, ''), `accepts only ${queryNames.join(', ')}`), ...lists(query)),
    ),
    ['HEAD, without the body', get('/plants', 'HEAD'), ok('')],
    noToken(get('/plants')),
  ],

  listTags: [
    ['no plant', get('/tags'), tagged({})],
    ...listedPlants.flatMap(([id, texts]) => each(created(texts), create(id, texts))),
    ['each, and how many plants have it', get('/tags'), tagged({ '': 1, indoor: 2, outdoor: 1 })],
    ['another tag', put(-1, ifAny, { tag: '"🌱"' }), ok(shown(-1, { tag: '"🌱"' }))],
    ['a plant deleted', remove(max), deleted],
    ['those that plants have now', get('/tags'), tagged({ indoor: 2, '🌱': 1 })],
    ['after the last tag', get('/tags?after=2.tags.8J-MsQ'), tagged({})],
    ['after the first one', get('/tags?after=2.tags.aW5kb29y'), tagged({ '🌱': 1 })],
    ['an empty start', get('/tags?after='), tagged({ indoor: 2, '🌱': 1 })],
    ...each(otherCursor, ...notTagCursors.map((after) => get(`/tags?after=${after}`))),
    ['a parameter of lists', get('/tags?limit=1'), unknown('limit', 'accepts only after')],
    ...ofReadPath('/tags'),
  ],

  listChanges: [
    ['from the beginning of nothing', changesOf('after=0'), changedBy([])],
    ['from now on', changesOf(''), changedBy([])],
    ['a plant', create(1, all), created(all)],
    ['what came since', changesOf('after=<next>'), changedBy([change('created', 1, all)])],
    ['nothing more', changesOf('after=<next>'), changedBy([])],
    ['nothing more within a second', changesOf('after=<next>&wait=1'), changedBy([])],
    ['more plants', create(max), created()],
    ['another one', create(min), created()],
    ['a replay, which changes nothing', create(1, all), replayed(all)],
    ['an update', put(1, ifAny, small), ok(shown(1, small))],
    ['a delete', remove(max), deleted],
    ['the same delete, which changes nothing', remove(max), deleted],
    ['the same update again, which changes nothing', put(1, ifAny, small), ok(shown(1, small))],
    ['one at a time', changesOf('after=<next>&limit=1'), changedBy([change('created', min)])],
    [
      'each plant once, by its last change, without waiting',
      changesOf('after=<next>&wait=25'),
      changedBy([change('updated', 1, small), change('deleted', max)]),
    ],
    ['the id reused', put(max, ifNone, large), ok(shown(max, large))],
    [
      'all from the beginning',
      changesOf('after=0&limit=1000'),
      changedBy([change('created', min), change('updated', 1, small), change('created', max, large)]),
    ],
    ...each(
      rejected('bad_request', messages.invalidChangeCursor),
      ...['', 'x', '1', '00', '-1', '1.1', '2.1.1', '2.0000000.1.1', '1.1.01', `1.1.${max + 1n}`].map(
        (after) => changesOf(`after=${after}`),
      ),
    ),
    ...each(
      rejected('cursor_expired', messages.cursorExpired),
      // Of version 1.4, and of another generation.
      ...['1.1.1', '1..1', '2.00000000.1.1', '1.999999999999999.1'].map((after) =>
        changesOf(`after=${after}`),
      ),
      changesOf('after=2.00000000.1.1&wait=25'),
    ),
    ...each(
      invalidQuery('wait', 'must be an integer from 0 to 25'),
      ...['26', '-1', '1.5', ''].map((wait) => changesOf(`wait=${wait}`)),
    ),
    ...each(invalidLimit, ...['0', '1001'].map((limit) => changesOf(`limit=${limit}`))),
    ['a parameter of lists', changesOf('q=x'), unknown('q', 'accepts only limit, after, wait')],
    noToken(changesOf('')),
  ],

  getPlantHistory: [
    ['a plant', create(1, small), created(small)],
    ['what was created', historyOf(1), states(state(small))],
    ['an update', put(1, ifAny, large), ok(shown(1, large))],
    ['what was replaced', historyOf(1), states(state(large), state(small, '"now"'))],
    ['an update to the same', put(1, ifAny, large), ok(shown(1, large))],
    ['back to what it was', put(1, ifAny, small), ok(shown(1, small))],
    ...each(
      states(state(small), state(large, '"now"'), state(small, '"now"')),
      ...['', '?after='].map((query) => historyOf(1, query)),
    ),
    ['the first page', historyOf(1, '?limit=1'), statesPage(state(small))],
    ['the second page', historyOf(1, '?limit=1&after=<next>'), statesPage(state(large, '"now"'))],
    ['the last page', historyOf(1, '?limit=1&after=<next>'), states(state(small, '"now"'))],
    ['an id that no plant has', historyOf(2), notFound(2n)],
    ['a delete', remove(1), deleted],
    ['a plant that was deleted', historyOf(1), notFound(1n)],
    ['a reused id', put(1, ifNone, large), ok(shown(1, large))],
    ['only what the new plant is', historyOf(1), states(state(large))],
    ...each(otherCursor, ...notStateCursors.map((after) => historyOf(1, `?after=${after}`))),
    ...each(invalidLimit, ...['0', '1001', 'x'].map((limit) => historyOf(1, `?limit=${limit}`))),
    ['a parameter of lists', historyOf(1, '?q=x'), unknown('q', 'accepts only limit, after')],
    ...ofReadPath('/plants/1/history'),
  ],

  getOwnToken: [
    ['what it permits', get('/tokens/self'), ownToken],
    ['HEAD, without the body', get('/tokens/self', 'HEAD'), ok('')],
    ['a parameter', get('/tokens/self?id=1'), unknown('id')],
    ['another path', get('/token'), rejected('not_found', messages.notFound('/token'))],
    noToken(get('/tokens/self')),
  ],

  listTokens: [
    ['the first one', get('/tokens'), tokenList()],
    ['one more', postToken(reader), issued(2, ['read'])],
    ['one with limits', postToken({ ...reader, ...limited }), issued(3, ['read'], limited)],
    ['to be revoked', revoke(2), deleted],
    [
      'all, without their texts',
      get('/tokens'),
      tokenList(token(2, ['read'], { revokedAt: 'now' }), token(3, ['read'], limited)),
    ],
    ['HEAD, without the body', get('/tokens', 'HEAD'), ok('')],
    ['a parameter', get('/tokens?limit=1'), unknown('limit')],
    noToken(get('/tokens')),
  ],

  createToken: [
    ...each(issued(2, ['create', 'read']), postToken({ ...reader, scopes: ['read', 'create', 'read'] })),
    ['what it permits', lastToken, ok('{"id":2,"name":"shop","scopes":["create","read"]}')],
    ['without the scope admin', ofLast({}), notAdmin],
    ...each(
      invalidToken('name is required; scopes is required'),
      ...['{}', '{"names":"x"}'].map((body) => postToken(body)),
    ),
    ...each(invalidToken('it must be a JSON object'), ...['[]', '1'].map((body) => postToken(body))),
    ...each(
      invalidToken('name must be one line of text'),
      ...readers(...['', ' ', 'a\nb', '\u0000'].map((name) => ({ name }))),
    ),
    ...each(invalidToken('name must have at most 100 characters'), ...readers({ name: '🌱'.repeat(101) })),
    ...each(invalidToken('scopes must have at least one scope'), ...readers({ scopes: [] })),
    ...each(
      invalidToken(`scopes.1 must be one of ${scopes.join(', ')}`),
      ...readers({ scopes: ['read', 'all'] }),
    ),
    ...each(
      invalidToken('ratePerMinute must be an integer from 1 to 1000000000'),
      ...readers(...[0, -1, 1.5, 1_000_000_001, '60', null].map((ratePerMinute) => ({ ratePerMinute }))),
    ),
    ...each(
      invalidToken(`expiresAt ${notTime}`),
      ...readers(...['', 'never', '2999-01-01', null].map((expiresAt) => ({ expiresAt }))),
    ),
    ...each(invalidToken('expiresAt must be in the future'), ...readers({ expiresAt: past })),
    ...each(issued(3, ['read', 'admin'], limited), ...readers({ scopes: ['admin', 'read'], ...limited })),
    ...each(beyondDelete, ofLast({ scopes: ['read', 'delete'] })),
    ...each(beyond(messages.expiryExceedsIssuer(expiresAt)), ofLast({ expiresAt: future })),
    ...each(beyond(messages.rateExceedsIssuer(600)), ofLast({ ratePerMinute: 601 })),
    ['one that has its limits', ofLast({}), issued(4, ['read'], limited)],
    // It is shown in UTC and milliseconds.
    ...each(
      issued(5, ['read'], { expiresAt }),
      ...readers({ expiresAt: '2998-12-31t23:00:00.0009999-01:00' }),
    ),
    ['a query', { ...postToken(reader), line: 'POST /tokens?x=1' }, unknown('x')],
    noToken(postToken(reader)),
  ],

  rotateToken: [
    ...ofTokenPath(rotate),
    ...each(issued(2, ['read'], { ratePerMinute }), ...readers({ ratePerMinute })),
    ['no overlap', rotate(2, {}), invalidRotation('overlapSeconds is required')],
    ...each(
      invalidRotation(`overlapSeconds must be an integer from 0 to 31536000`),
      ...[-1, 1.5, '1', 31_536_001].map((overlapSeconds) => rotate(2, { overlapSeconds })),
    ),
    ...each(
      invalidRotation('expiresAt must be in the future'),
      rotate(2, { overlapSeconds: 0, expiresAt: past }),
    ),
    ['the one that replaces it', rotate(2, { overlapSeconds: 30 }), issued(3, ['read'], { ratePerMinute })],
    ['that works', lastToken, ok('{"id":3,"name":"shop","scopes":["read"],"ratePerMinute":600}')],
    ['another one, at once', rotate(3, { overlapSeconds: 0, expiresAt }), issued(4, ['read'], limited)],
    ['one that was revoked', rotate(3), rejected('token_inactive', messages.tokenInactive(3n))],
    [
      'what became of them',
      get('/tokens'),
      tokenList(
        token(2, ['read'], { expiresAt: 'now', ratePerMinute }),
        token(3, ['read'], { revokedAt: 'now', ratePerMinute }),
        token(4, ['read'], limited),
      ),
    ],
    ...each(issued(5, ['read', 'admin']), ...readers({ scopes: ['admin', 'read'] })),
    ['one that deletes', postToken({ ...reader, scopes: ['delete'] }), issued(6, ['delete'])],
    ['the admin again', rotate(5), issued(7, ['read', 'admin'])],
    ['what it does not permit itself', { ...rotate(6), headers: bySecret }, beyondDelete],
  ],

  revokeToken: [
    ...ofTokenPath(revoke),
    ['its own path', get('/tokens/self', 'DELETE'), invalidId],
    ['one to be revoked', postToken({ ...reader, scopes: ['delete'] }), issued(2, ['delete'])],
    ['an admin that permits nothing else', postToken({ ...reader, scopes: ['admin'] }), issued(3, ['admin'])],
    ['what the admin does not permit itself', { ...revoke(2), headers: bySecret }, deleted],
    ['the same again', revoke(2), deleted],
    ['itself', { ...revoke(3), headers: bySecret }, deleted],
    [
      'what became of them',
      get('/tokens'),
      tokenList(token(2, ['delete'], { revokedAt: 'now' }), token(3, ['admin'], { revokedAt: 'now' })),
    ],
  ],

  listAudit: [
    ['nothing yet', get('/audit'), audited([])],
    ['a token', postToken({ ...reader, ...limited }), issued(2, ['read'], limited)],
    ['an admin', postToken({ ...reader, scopes: ['admin', 'read'] }), issued(3, ['read', 'admin'])],
    ['a token by that admin', ofLast({}), issued(4, ['read'])],
    ['the first one, replaced', rotate(2, { overlapSeconds: 30, expiresAt }), issued(5, ['read'], limited)],
    ['the second one, replaced at once', rotate(3, { overlapSeconds: 0 }), issued(6, ['read', 'admin'])],
    ['the third one, revoked', { ...revoke(4), headers: bySecret }, deleted],
    ['the same again, which changes nothing', revoke(4), deleted],
    ...each(noSuchToken(7n), revoke(7), rotate(7)),
    ...each(rejected('token_inactive', messages.tokenInactive(4n)), rotate(4)),
    ...each(beyondDelete, ofLast({ scopes: ['delete'] })),
    ['each deed once, the newest first', get('/audit'), audited(deeds)],
    ['of one action', get('/audit?action=token_rotated'), audited([deeds[1], deeds[2]])],
    ['of an action that was not done', get('/audit?action=restored'), audited([])],
    ['two at a time', get('/audit?limit=2'), audited(deeds.slice(0, 2), true)],
    ['the next ones', get('/audit?limit=2&after=<next>'), audited(deeds.slice(2, 4), true)],
    ['the last ones', get('/audit?limit=2&after=<next>'), audited(deeds.slice(4))],
    ['an empty start', get('/audit?after=&limit=1'), audited(deeds.slice(0, 1), true)],
    ['after the first one', get('/audit?after=1'), audited([])],
    ...each(otherCursor, ...notAuditCursors.map((after) => get(`/audit?after=${after}`))),
    ...each(
      invalidQuery(
        'action',
        'must be one of token_created, token_rotated, token_revoked, token_imported, restored, imported',
      ),
      ...['', 'created', 'TOKEN_CREATED'].map((action) => get(`/audit?action=${action}`)),
    ),
    ...each(invalidLimit, ...['0', '1001'].map((limit) => get(`/audit?limit=${limit}`))),
    ['a parameter of lists', get('/audit?q=x'), unknown('q', 'accepts only limit, after, action')],
    ['one that reads', postToken(reader), issued(7, ['read'])],
    ['without the scope admin', { ...get('/audit'), headers: bySecret }, notAdmin],
    ...ofReadPath('/audit'),
  ],
};
