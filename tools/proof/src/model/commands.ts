import type { Kind, Kinds } from '@plant-store/contract/resource';
import fc from 'fast-check';
import { has, type Operation, requestOf } from '../load/operations.js';
import { type Subject, subjects, toJson } from '../load/records.js';
import type { Request } from './stores.js';

/** The query of a list. */
export interface ListQuery {
  readonly limit: number;
  readonly order: 'id' | 'newest';
  readonly [filter: string]: unknown;
}

/** A command for all plant stores. In requests, `⟦3⟧` stands for the fourth id of the run. */
export type Command =
  /**
   * A request, or a repeat of the previous command's, from one or several callers at once: with a numbered token, the main token, or none.
   */
  | {
      readonly do: 'send';
      readonly request: Request | 'again';
      readonly token: number | 'main' | 'none';
      readonly callers: number;
    }
  /** A request, and a restart of all stores some milliseconds after it is sent. */
  | {
      readonly do: 'interrupt';
      readonly request: Request;
      readonly signal: NodeJS.Signals;
      readonly delayMs: number;
    }
  /** All pages of a list of the named resource. */
  | { readonly do: 'list'; readonly resource: string; readonly query: ListQuery }
  | { readonly do: 'restart'; readonly signal: NodeJS.Signals }
  | { readonly do: 'issue' | 'revoke' | 'expire'; readonly token: number };

/** The number of ids in a run. */
export const idsOfRun = 6;

/** The id for a number in a run: near the limits of int64 and of doubles, and in between. */
export function toId(number: number, run: number): bigint {
  const starts = [-(2n ** 63n), 2n ** 63n - 1_000_000n, 2n ** 53n - 5n, -(2n ** 53n), 1_000_000_000n];
  return (starts[number % starts.length] ?? 0n) + BigInt(run) * 20n + BigInt(number);
}

/** Inserts the ids of a run. */
export function fillIds(text: string, run: number): string {
  return text.replace(/⟦(\d)⟧/g, (_, number) => String(toId(Number(number), run)));
}

const id = fc.nat(idsOfRun - 1).map((number) => `⟦${number}⟧`);
const text = fc.oneof(
  // Few, so that records repeat.
  { weight: 3, arbitrary: fc.constantFrom('a', '') },
  { weight: 1, arbitrary: fc.constantFrom('A', 'á', 'á', '🌱', '"\\/\n\u2028') },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
);
// Excludes the only character that texts may not contain.
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

function fieldsOf(resource: Subject) {
  const fields = Object.entries(resource.fields);
  return fc.record(Object.fromEntries(fields.map(([name, { kind }]) => [name, values[kind]])), {
    requiredKeys: fields.flatMap(([name, { required }]) => (required ? name : [])),
  });
}

const recordOf = (resource: Subject) =>
  fc
    .tuple(id, fieldsOf(resource))
    .map(([number, fields]) => toJson({ id: 0, ...fields }).replace('0', number));

/** The items of a batch, and occasionally an invalid value. */
const itemsOf = (valid: fc.Arbitrary<string>, ...others: readonly string[]) =>
  fc.array(fc.oneof({ weight: 6, arbitrary: valid }, { weight: 1, arbitrary: fc.constantFrom(...others) }), {
    minLength: 1,
    maxLength: 6,
    size: 'max',
  });

function toRequest(
  resource: Subject,
  operation: Operation,
  { id = '', ...others }: { readonly id?: string } & Pick<Request, 'body' | 'headers'>,
): Request {
  const [method, path] = requestOf({ resource, id }, operation);
  return { method, path, ...others };
}

const withIds = (operation: Operation) => (resource: Subject) =>
  itemsOf(
    id.map((number) => `"${number}"`),
    '1',
    '"01"',
    'null',
  ).map((items) => toRequest(resource, operation, { body: `{"ids":[${items}]}` }));

const withId = (operation: Operation) => (resource: Subject) =>
  id.map((number) => toRequest(resource, operation, { id: number }));

/** The requests of each operation, except for lists, which need several, and for changes, whose cursors differ. */
const builders: Readonly<
  Record<Exclude<Operation, 'list' | 'changes'>, (resource: Subject) => fc.Arbitrary<Request>>
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
  // A precondition that no record meets: all stores must give the same reply, although their entity tags differ.
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

const valid = subjects.flatMap((resource) =>
  Object.entries(builders).flatMap(([operation, build]) =>
    has(resource, operation as keyof typeof builders) ? build(resource) : [],
  ),
);
const create = fc.oneof(...subjects.map(builders.create));

/** Invalid requests. The cases of packages/contract check the replies of the fake to each. */
function rejectedOf(resource: Subject): readonly Request[] {
  const { names, plural } = resource;
  const all = (operation: Operation, ...others: readonly Parameters<typeof toRequest>[2][]) =>
    has(resource, operation) ? others.map((other) => toRequest(resource, operation, other)) : [];
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
const rejected = fc.constantFrom(...subjects.flatMap(rejectedOf));

const token = fc.nat(2);
const main = fc.constant('main' as const);
const one = fc.constant(1);
const signal = fc.constantFrom<NodeJS.Signals>('SIGKILL', 'SIGTERM');

/** Commands of a kind, of the given parts. */
function command<const What extends Command['do'], Parts extends object>(
  what: What,
  parts: { readonly [Name in keyof Parts]: fc.Arbitrary<Parts[Name]> },
): fc.Arbitrary<{ readonly do: What } & Parts> {
  return fc.record(parts).map((values) => ({ do: what, ...values }) as { readonly do: What } & Parts);
}

const common: readonly fc.Arbitrary<Command>[] = [
  ...valid.map((request) => command('send', { request, token: main, callers: one })),
  command('send', { request: create, token: fc.oneof(token, fc.constant('none' as const)), callers: one }),
  command('send', { request: fc.constant('again' as const), token: main, callers: one }),
  command('send', { request: create, token: main, callers: fc.integer({ min: 2, max: 6 }) }),
  command('send', { request: rejected, token: main, callers: one }),
  ...subjects.filter((resource) => has(resource, 'list')).map(listOf),
];

/** Lists of a resource, with any of its filters. */
function listOf({ name, fields }: Subject): fc.Arbitrary<Command> {
  const all = Object.entries(fields);
  const filters = all.flatMap(([field, { filter, kind }]) =>
    filter ? [[field, values[kind]] as const] : [],
  );
  const search = all.some(([, field]) => field.search) ? { q: validText } : {};
  const page = fc.record({
    limit: fc.constantFrom(20, 100, 1_000),
    order: fc.constantFrom('id' as const, 'newest' as const),
  });
  return fc
    .tuple(page, fc.record({ ...search, ...Object.fromEntries(filters) }, { requiredKeys: [] }))
    .map(
      ([required, others]): Command => ({ do: 'list', resource: name, query: { ...required, ...others } }),
    );
}

const rare: readonly fc.Arbitrary<Command>[] = [
  command('restart', { signal }),
  command('interrupt', { request: fc.oneof(...valid), signal, delayMs: fc.nat(15) }),
  ...(['issue', 'revoke', 'expire'] as const).map((what) => command(what, { token })),
];

/** Sequences of commands. Commands that start processes are rare. All lengths are equally likely, because short sequences find little. */
export const sequences: fc.Arbitrary<readonly Command[]> = fc.noBias(
  fc.array(
    fc.oneof(
      ...common.map((arbitrary) => ({ weight: 4, arbitrary })),
      ...rare.map((arbitrary) => ({ weight: 1, arbitrary })),
    ),
    { minLength: 1, maxLength: 40, size: 'max' },
  ),
);
