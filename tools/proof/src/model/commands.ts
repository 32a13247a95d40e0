import type { Kind, Kinds } from '@plant-store/contract/resource';
import fc from 'fast-check';
import { hasOperation, type Operation, requestOf } from '../load/operations.js';
import { type TestedResource, testedResources, toJson } from '../load/records.js';
import type { Request } from './stores.js';

/** The query of a list. */
export interface ListQuery {
  readonly limit: number;
  readonly order: 'id' | 'newest';
  readonly [filter: string]: unknown;
}

/** A command for all plant stores. In requests, `⟦3⟧` stands for the fourth ID of the run. */
export type Command =
  /**
   * Sends a request, or the previous request again, from one or several callers concurrently, with a numbered token, the main token, or
   * none.
   */
  | {
      readonly action: 'send';
      readonly request: Request | 'previous';
      readonly token: number | 'main' | 'none';
      readonly callers: number;
    }
  /** Sends a request, and restarts all stores after a delay. */
  | {
      readonly action: 'interrupt';
      readonly request: Request;
      readonly signal: NodeJS.Signals;
      readonly delayMs: number;
    }
  /** Reads all pages of a list of the named resource. */
  | { readonly action: 'list'; readonly resource: string; readonly query: ListQuery }
  | { readonly action: 'restart'; readonly signal: NodeJS.Signals }
  | { readonly action: 'issue' | 'revoke' | 'expire'; readonly token: number };

/** The number of IDs in a run. */
export const idsPerRun = 6;

/** The distance between the IDs of two runs. At least `idsPerRun`, so that runs do not share IDs. */
const idDistance = 20n;

/** Returns the ID for a number in a run. The IDs are near the limits of int64 and of exact doubles, and in between. */
export function toId(number: number, run: number): bigint {
  const starts = [-(2n ** 63n), 2n ** 63n - 1_000_000n, 2n ** 53n - 5n, -(2n ** 53n), 1_000_000_000n];
  return (starts[number % starts.length] ?? 0n) + BigInt(run) * idDistance + BigInt(number);
}

/** Replaces the placeholders in a text with the IDs of a run. */
export function fillIds(text: string, run: number): string {
  return text.replace(/⟦(\d)⟧/g, (_, number) => String(toId(Number(number), run)));
}

const id = fc.nat(idsPerRun - 1).map((number) => `⟦${number}⟧`);
const text = fc.oneof(
  // Few values, so that records are often equal.
  { weight: 3, arbitrary: fc.constantFrom('a', '') },
  { weight: 1, arbitrary: fc.constantFrom('A', 'á', 'á', '🌱', '"\\/\n\u2028') },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
);
// The API rejects texts that contain NUL.
const validText = text.map((value) => value.replaceAll('\0', ''));
const int64 = fc.oneof(
  fc.constantFrom(0n, -1n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)),
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
);
const [min, max] = [new Date('0000-01-01T00:00:00.000Z'), new Date('9999-12-31T23:59:59.999Z')];
const values: { readonly [Of in Kind]: fc.Arbitrary<Kinds[Of]['value']> } = {
  text: validText,
  int64,
  boolean: fc.boolean(),
  time: fc.date({ min, max, noInvalidDate: true }).map((date) => date.toISOString()),
  int64List: fc.array(int64, { maxLength: 3 }),
};

function fieldsOf(resource: TestedResource) {
  const fields = Object.entries(resource.fields);
  return fc.record(Object.fromEntries(fields.map(([name, { kind }]) => [name, values[kind]])), {
    requiredKeys: fields.flatMap(([name, { required }]) => (required ? name : [])),
  });
}

const recordOf = (resource: TestedResource) =>
  fc
    .tuple(id, fieldsOf(resource))
    .map(([number, fields]) => toJson({ id: 0, ...fields }).replace('0', number));

/** Returns the items of a batch, some of them invalid. */
const itemsOf = (valid: fc.Arbitrary<string>, ...invalid: readonly string[]) =>
  fc.array(fc.oneof({ weight: 6, arbitrary: valid }, { weight: 1, arbitrary: fc.constantFrom(...invalid) }), {
    minLength: 1,
    maxLength: 6,
    size: 'max',
  });

function toRequest(
  resource: TestedResource,
  operation: Operation,
  { id = '', ...others }: { readonly id?: string } & Pick<Request, 'body' | 'headers'>,
): Request {
  const [method, path] = requestOf({ resource, id }, operation);
  return { method, path, ...others };
}

const withIds = (operation: Operation) => (resource: TestedResource) =>
  itemsOf(
    id.map((number) => `"${number}"`),
    '1',
    '"01"',
    'null',
  ).map((items) => toRequest(resource, operation, { body: `{"ids":[${items}]}` }));

const withId = (operation: Operation) => (resource: TestedResource) =>
  id.map((number) => toRequest(resource, operation, { id: number }));

/** Valid requests by operation, except for lists, which need several requests, and for changes, whose cursors differ. */
const builders: Readonly<
  Record<Exclude<Operation, 'list' | 'changes'>, (resource: TestedResource) => fc.Arbitrary<Request>>
> = {
  create: (resource) => recordOf(resource).map((body) => toRequest(resource, 'create', { body })),
  createMany: (resource) =>
    itemsOf(recordOf(resource), '{}', 'null', '{"id":1.5}').map((items) =>
      toRequest(resource, 'createMany', { body: `{"${resource.plural}":[${items}]}` }),
    ),
  getMany: withIds('getMany'),
  updateMany: (resource) =>
    itemsOf(
      fc
        .tuple(recordOf(resource), fc.constantFrom('*', '"x"'))
        .map(([record, ifMatch]) => record.replace(/}$/, `,"ifMatch":${JSON.stringify(ifMatch)}}`)),
      '{}',
      'null',
    ).map((items) => toRequest(resource, 'updateMany', { body: `{"${resource.plural}":[${items}]}` })),
  deleteMany: withIds('deleteMany'),
  // Only preconditions that have the same result in all stores, although their entity tags differ.
  update: (resource) =>
    fc
      .tuple(
        id,
        fieldsOf(resource),
        fc.constantFrom('If-Match: *', 'If-None-Match: *', 'If-Match: "x"', 'If-None-Match: "x"'),
      )
      .map(([number, fields, precondition]) => {
        const headers = Object.fromEntries([precondition.split(': ')]);
        return toRequest(resource, 'update', { id: number, body: toJson(fields), headers });
      }),
  delete: withId('delete'),
  get: withId('get'),
  history: withId('history'),
  count: (resource) => fc.constant(toRequest(resource, 'count', {})),
};

const validRequests = testedResources.flatMap((resource) =>
  Object.entries(builders).flatMap(([operation, build]) =>
    hasOperation(resource, operation as keyof typeof builders) ? build(resource) : [],
  ),
);
const createRequest = fc.oneof(...testedResources.map(builders.create));

/** Returns invalid requests. The cases in packages/contract check the replies of the fake plant store to these. */
function invalidRequestsOf(resource: TestedResource): readonly Request[] {
  const { names, plural } = resource;
  const all = (operation: Operation, ...others: readonly Parameters<typeof toRequest>[2][]) =>
    hasOperation(resource, operation) ? others.map((other) => toRequest(resource, operation, other)) : [];
  const wrong = Object.fromEntries(names.map((name) => [name, null]));
  const bodies = ['', '{"id":1,"id":2}', toJson({ id: '1', ...wrong }), `{"id":1.5,"${names[0]}":"\\ud800"}`];
  return [
    ...all('create', ...bodies.map((body) => ({ body }))),
    ...all('createMany', { body: `{"${plural}":[]}` }, { body: `{"${plural}":[${'0,'.repeat(1_000)}0]}` }),
    ...all('deleteMany', { body: '{"ids":[]}' }, { body: '{"ids":"1"}' }),
    ...all('get', { id: '01' }, { id: '1' }),
    ...all('delete', { id: '9223372036854775808' }, { id: '1' }),
    ...['limit=0', 'q=%00'].flatMap((query) =>
      all('list', {}).map((request) => ({ ...request, path: `${request.path}?${query}` })),
    ),
  ];
}
const invalidRequest = fc.constantFrom(...testedResources.flatMap(invalidRequestsOf));

const tokenNumber = fc.nat(2);
const mainToken = fc.constant('main' as const);
const oneCaller = fc.constant(1);
const signal = fc.constantFrom<NodeJS.Signals>('SIGKILL', 'SIGTERM');

/** Returns commands of a kind with random parts. */
function command<const What extends Command['action'], Parts extends object>(
  action: What,
  parts: { readonly [Name in keyof Parts]: fc.Arbitrary<Parts[Name]> },
): fc.Arbitrary<{ readonly action: What } & Parts> {
  return fc.record(parts).map((values) => ({ action, ...values }) as { readonly action: What } & Parts);
}

const common: readonly fc.Arbitrary<Command>[] = [
  ...validRequests.map((request) => command('send', { request, token: mainToken, callers: oneCaller })),
  command('send', {
    request: createRequest,
    token: fc.oneof(tokenNumber, fc.constant('none' as const)),
    callers: oneCaller,
  }),
  command('send', { request: fc.constant('previous' as const), token: mainToken, callers: oneCaller }),
  command('send', { request: createRequest, token: mainToken, callers: fc.integer({ min: 2, max: 6 }) }),
  command('send', { request: invalidRequest, token: mainToken, callers: oneCaller }),
  ...testedResources.filter((resource) => hasOperation(resource, 'list')).map(listOf),
];

/** Returns lists of a resource, with any of its filters. */
function listOf({ name, fields }: TestedResource): fc.Arbitrary<Command> {
  const namedFields = Object.entries(fields);
  const filters = namedFields.flatMap(([field, { filter, kind }]) =>
    filter ? [[field, values[kind]] as const] : [],
  );
  const search = namedFields.some(([, field]) => field.search) ? { q: validText } : {};
  const page = fc.record({
    limit: fc.constantFrom(20, 100, 1_000),
    order: fc.constantFrom('id' as const, 'newest' as const),
  });
  return fc.tuple(page, fc.record({ ...search, ...Object.fromEntries(filters) }, { requiredKeys: [] })).map(
    ([required, others]): Command => ({
      action: 'list',
      resource: name,
      query: { ...required, ...others },
    }),
  );
}

const rare: readonly fc.Arbitrary<Command>[] = [
  command('restart', { signal }),
  command('interrupt', { request: fc.oneof(...validRequests), signal, delayMs: fc.nat(15) }),
  ...(['issue', 'revoke', 'expire'] as const).map((action) => command(action, { token: tokenNumber })),
];

/**
 * Sequences of commands. Commands that start processes are rare. All lengths are equally likely, because short sequences find few errors.
 */
export const sequences: fc.Arbitrary<readonly Command[]> = fc.noBias(
  fc.array(
    fc.oneof(
      ...common.map((arbitrary) => ({ weight: 4, arbitrary })),
      ...rare.map((arbitrary) => ({ weight: 1, arbitrary })),
    ),
    { minLength: 1, maxLength: 40, size: 'max' },
  ),
);
