import type { PlantQuery } from '@plant-store/contract/operations';
import { resources } from '@plant-store/contract/resources';
import type { routes } from '@plant-store/contract/routes';
import fc from 'fast-check';
import { fieldNames, requiredNames } from '../load/plants.js';
import type { Request } from './stores.js';

/** The query of a list. */
export type ListQuery = Omit<PlantQuery, 'after'> & {
  readonly limit: number;
  readonly order: 'id' | 'newest';
};

/** What is done with all plant stores. In requests `⟦3⟧` stands for the fourth id of the run. */
export type Command =
  /** A request, or that of the command before, from one caller or several at once: with the token of a number, the main one, or none. */
  | {
      readonly do: 'send';
      readonly request: Request | 'again';
      readonly token: number | 'main' | 'none';
      readonly callers: number;
    }
  /** A request during which all stores are restarted, so many milliseconds after it. */
  | {
      readonly do: 'interrupt';
      readonly request: Request;
      readonly signal: NodeJS.Signals;
      readonly delayMs: number;
    }
  | { readonly do: 'list'; readonly query: ListQuery }
  | { readonly do: 'restart'; readonly signal: NodeJS.Signals }
  | { readonly do: 'issue' | 'revoke' | 'expire'; readonly token: number };

/** How many ids a run has. */
export const idsOfRun = 6;

/** The id that a number stands for, in a run: near the borders of int64 and of doubles, and between. */
export function toId(number: number, run: number): bigint {
  const starts = [-(2n ** 63n), 2n ** 63n - 1_000_000n, 2n ** 53n - 5n, -(2n ** 53n), 1_000_000_000n];
  return (starts[number % starts.length] ?? 0n) + BigInt(run) * 20n + BigInt(number);
}

/** Fills the ids of a run in. */
export function fillIds(text: string, run: number): string {
  return text.replace(/⟦(\d)⟧/g, (_, number) => String(toId(Number(number), run)));
}

const post = (path: string, body: string): Request => ({ method: 'POST', path, body });

const id = fc.nat(idsOfRun - 1).map((number) => `⟦${number}⟧`);
const text = fc.oneof(
  // Few, so that the same plant comes again.
  { weight: 3, arbitrary: fc.constantFrom('a', '') },
  { weight: 1, arbitrary: fc.constantFrom('A', 'á', 'á', '🌱', '"\\/\n\u2028') },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 8 }) },
);
// All but the one character that texts may not have.
const validText = text.map((value) => value.replaceAll('\0', ''));
const texts = Object.fromEntries(fieldNames.map((name) => [name, validText]));
const filters = fieldNames.filter((name) => resources.plant.fields[name]?.filter);
const plant = fc
  .tuple(id, fc.record(texts, { requiredKeys: [...requiredNames] }))
  .map(([number, texts]) => `{"id":${number},${JSON.stringify(texts).slice(1)}`);
const item = fc.oneof(
  { weight: 6, arbitrary: plant },
  { weight: 1, arbitrary: fc.constantFrom('{}', 'null', '{"id":1.5,"name":"a"}') },
);

/** The ids of a batch, and now and then what is none. */
const ids = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: id.map((number) => `"${number}"`) },
      { weight: 1, arbitrary: fc.constantFrom('1', '"01"', 'null') },
    ),
    { minLength: 1, maxLength: 6, size: 'max' },
  )
  .map((items) => `{"ids":[${items}]}`);

/** The requests of each operation, but for lists, which take several, and for those on tokens, whose ids and texts differ. */
const valid = {
  createPlant: plant.map((body) => post('/plants', body)),
  createPlants: fc
    .array(item, { minLength: 1, maxLength: 6, size: 'max' })
    .map((items) => post('/plants/batch', `{"plants":[${items}]}`)),
  getPlants: ids.map((body) => post('/plants/batch/get', body)),
  deletePlants: ids.map((body) => post('/plants/batch/delete', body)),
  // The precondition of no known plant: what all stores must say alike, whatever their entity tags are.
  updatePlant: fc
    .tuple(
      id,
      fc.record(texts, { requiredKeys: [...requiredNames] }),
      fc.constantFrom('If-Match: *', 'If-None-Match: *', 'If-Match: "x"', 'If-None-Match: "x"'),
    )
    .map(
      ([number, texts, precondition]): Request => ({
        ...{ method: 'PUT', path: `/plants/${number}`, body: JSON.stringify(texts) },
        headers: Object.fromEntries([precondition.split(': ')]),
      }),
    ),
  deletePlant: id.map((number): Request => ({ method: 'DELETE', path: `/plants/${number}` })),
  getPlant: id.map((number): Request => ({ method: 'GET', path: `/plants/${number}` })),
  listTags: fc.constant<Request>({ method: 'GET', path: '/tags' }),
} satisfies Record<
  Exclude<
    keyof typeof routes,
    | 'listPlants'
    | 'listChanges'
    | 'getOwnToken'
    | 'listTokens'
    | 'createToken'
    | 'rotateToken'
    | 'revokeToken'
  >,
  fc.Arbitrary<Request>
>;

/** Those that are not valid; what the fake makes of each, the cases of packages/contract have. */
const rejected = fc.constantFrom<Request>(
  ...['', '{"id":1,"id":2,"name":"a"}', '{"id":"1","name":null,"tag":1}', '{"id":1.5,"name":"\\ud800"}'].map(
    (body) => post('/plants', body),
  ),
  ...['{"plants":[]}', `{"plants":[${'0,'.repeat(1_000)}0]}`].map((body) => post('/plants/batch', body)),
  ...['{"ids":[]}', '{"ids":"1"}'].map((body) => post('/plants/batch/delete', body)),
  ...['/plants/01', '/plants/1', '/plants?limit=0', '/plants?q=%00'].map((path) => ({ method: 'GET', path })),
  ...['/plants/9223372036854775808', '/plants/1'].map((path) => ({ method: 'DELETE', path })),
);

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
  ...Object.values(valid).map((request) => command('send', { request, token: main, callers: one })),
  command('send', {
    request: valid.createPlant,
    token: fc.oneof(token, fc.constant('none' as const)),
    callers: one,
  }),
  command('send', { request: fc.constant('again' as const), token: main, callers: one }),
  command('send', { request: valid.createPlant, token: main, callers: fc.integer({ min: 2, max: 6 }) }),
  command('send', { request: rejected, token: main, callers: one }),
  fc
    .record(
      {
        limit: fc.constantFrom(20, 100, 1_000),
        order: fc.constantFrom('id' as const, 'newest' as const),
        q: validText,
        ...Object.fromEntries(filters.map((name) => [name, validText])),
      },
      { requiredKeys: ['limit', 'order'] },
    )
    .map((query): Command => ({ do: 'list', query })),
];

const rare: readonly fc.Arbitrary<Command>[] = [
  command('restart', { signal }),
  command('interrupt', { request: fc.oneof(...Object.values(valid)), signal, delayMs: fc.nat(15) }),
  ...(['issue', 'revoke', 'expire'] as const).map((what) => command(what, { token })),
];

/** Sequences of commands, in which those that start processes are rare: of any length alike, since short ones find little. */
export const sequences: fc.Arbitrary<readonly Command[]> = fc.noBias(
  fc.array(
    fc.oneof(
      ...common.map((arbitrary) => ({ weight: 4, arbitrary })),
      ...rare.map((arbitrary) => ({ weight: 1, arbitrary })),
    ),
    { minLength: 1, maxLength: 40, size: 'max' },
  ),
);
