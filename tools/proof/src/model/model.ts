import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { requestOf } from '../load/operations.js';
import {
  findTestedResource,
  type Identity,
  nameOf,
  parse,
  type ShownRecord,
  type TestedResource,
  testedResources,
  toJson,
  toShownRecord,
} from '../load/records.js';
import type { ProofContext, ProofResult } from '../proof.js';
import { type TestBed, withDatabases } from '../system/databases.js';
import { type Command, fillIds, idsPerRun, type ListQuery, sequences, toId } from './commands.js';
import { createFakeStore, type Observation, type Request, type Store, startServiceStore } from './stores.js';

/** How long to search for shorter sequences that fail. */
const shrinkMs = 60_000;

/**
 * Runs random sequences of creates, batches, deletes, reads, races, restarts, and changes of tokens on several plant stores. Compares each
 * reply with the reply of the fake plant store, which implements the API in memory, and compares the records at the end.
 */
export function proveModel(count: number, context: ProofContext): Promise<Omit<ProofResult, 'promise'>> {
  return withDatabases('sqlite', (files) =>
    withDatabases('postgresql', async (postgresql) => {
      const stores = await startStores(context, files, postgresql);
      try {
        return await runSequences(count, context, createFakeStore(), stores);
      } finally {
        await Promise.all(stores.map((store) => store.stop()));
      }
    }),
  );
}

function startStores({ settings }: ProofContext, files: TestBed, postgresql: TestBed): Promise<Store[]> {
  return Promise.all([
    startServiceStore('sqlite', files, settings),
    startServiceStore('postgresql', postgresql, settings),
    startServiceStore('workers', files, { ...settings, WORKERS: '2' }),
  ]);
}

/** Runs sequences on stores, and compares these with the fake. */
export async function runSequences(
  count: number,
  { seed, log }: Pick<ProofContext, 'seed' | 'log'>,
  fake: Store,
  stores: readonly Store[],
): Promise<Omit<ProofResult, 'promise'>> {
  const counts = {
    requests: 0,
    restarts: 0,
    revocations: 0,
    'slowest revocation ms': 0,
    'interrupted requests': 0,
    'of those without a reply': 0,
  };
  /**
   * The runs that have failed. The state of their IDs is unknown, so it is not compared. Otherwise, later runs with shorter sequences would
   * fail, too.
   */
  const failed = new Set<number>();
  let run = 0;
  const identitiesOf = (runNumber: number) =>
    Array.from({ length: idsPerRun }, (_, number) => toId(number, runNumber)).flatMap((id) =>
      testedResources.map((resource): Identity => ({ resource, id })),
    );
  const findUnknown = () => new Set([...failed].flatMap(identitiesOf).map(nameOf));

  async function runOne(commands: readonly Command[]): Promise<void> {
    run++;
    if (run % 25 === 0) log(`${run} sequences`);
    const tokens = new Map<number, 'valid' | 'invalid'>();
    let last: Request | undefined;
    for (const command of commands) {
      if (command.action === 'send') {
        const request = command.request === 'previous' ? last : fill(command.request);
        last = request;
        const token = tokenOf(command.token);
        if (request !== undefined) await sendToAll(request, token, command.callers);
      } else if (command.action === 'interrupt') {
        await interrupt(fill(command.request), command.signal, command.delayMs);
      } else if (command.action === 'restart') {
        counts.restarts++;
        await Promise.all(stores.map((store) => store.restart(command.signal)));
      } else if (command.action === 'list') {
        const list = { resource: findTestedResource(command.resource), query: command.query };
        for (const store of stores) counts.requests += await compareLists(fake, store, list, findUnknown());
      } else await changeToken(command.action, command.token, tokens);
    }
  }

  const fill = ({ path, body, ...others }: Request): Request => ({
    ...others,
    path: fillIds(path, run),
    body: body === undefined ? undefined : fillIds(body, run),
  });

  function tokenOf(token: number | 'main' | 'none'): string | undefined {
    return token === 'none' ? undefined : token === 'main' ? token : `run-${run}-${token}`;
  }

  async function sendToAll(request: Request, token: string | undefined, callers: number): Promise<void> {
    const send = (store: Store) => store.send(request, token);
    const expected: Observation[] = [];
    for (let caller = 0; caller < callers; caller++) expected.push(await send(fake));
    counts.requests += stores.length * callers;
    await Promise.all(
      stores.map(async (store) => {
        const seen = await Promise.all(Array.from({ length: callers }, () => send(store)));
        if (!isSame(seen, expected)) fail(store, request, seen, expected);
      }),
    );
  }

  /** Sends a request, and restarts all stores. Checks the reply. Without a reply, sends the request again, and accepts both outcomes. */
  async function interrupt(request: Request, signal: NodeJS.Signals, delayMs: number): Promise<void> {
    const first = await fake.send(request, 'main');
    const second = await fake.send(request, 'main');
    counts['interrupted requests'] += stores.length;
    await Promise.all(
      stores.map(async (store) => {
        const sent = store.send(request, 'main').catch(() => undefined);
        await delay(delayMs);
        await store.restart(signal);
        const seen = await sent;
        // Without a reply, or after a 503, the stored state is unknown.
        if (seen !== undefined && seen.status !== 503) {
          if (!isSame([seen], [first])) fail(store, request, [seen], [first]);
          return;
        }
        counts['of those without a reply']++;
        const retried = await store.send(request, 'main');
        if (!isEither(retried, first, second)) fail(store, request, [retried], [first, second]);
      }),
    );
  }

  async function changeToken(
    action: 'issue' | 'revoke' | 'expire',
    token: number,
    tokens: Map<number, 'valid' | 'invalid'>,
  ): Promise<void> {
    const name = tokenOf(token) ?? '';
    const allStores = [fake, ...stores];
    if (action === 'revoke' && tokens.get(token) === 'valid') {
      const ms = await Promise.all(allStores.map((store) => store.revokeToken(name)));
      counts['slowest revocation ms'] = Math.round(Math.max(counts['slowest revocation ms'], ...ms));
      counts.revocations++;
      tokens.set(token, 'invalid');
    }
    if (action === 'revoke' || tokens.has(token)) return;
    await Promise.all(
      allStores.map((store) => (action === 'issue' ? store.issueToken(name) : store.expireToken(name))),
    );
    tokens.set(token, action === 'issue' ? 'valid' : 'invalid');
  }

  let shrinkUntil = Number.POSITIVE_INFINITY;
  const property = fc.asyncProperty(sequences, async (commands) => {
    if (performance.now() > shrinkUntil) return;
    try {
      await runOne(commands);
    } catch (error) {
      failed.add(run);
      shrinkUntil = Math.min(shrinkUntil, performance.now() + shrinkMs);
      throw error;
    }
  });
  const details = await fc.check(property, { seed, numRuns: count });
  const unknown = findUnknown();
  const identities = Array.from({ length: run }, (_, index) => identitiesOf(index + 1)).flat();
  const expected = await fake.readAll(identities);
  const differences: string[] = [];
  for (const store of stores) {
    const stored = await store.readAll(identities);
    for (const name of new Set([...identities.map(nameOf), ...stored.keys()]))
      if (stored.get(name) !== expected.get(name) && !unknown.has(name))
        differences.push(`${store.name}: ${name} is ${stored.get(name)}, expected ${expected.get(name)}`);
  }
  const compared = [...expected.keys()].filter((name) => !unknown.has(name));
  return {
    figures: {
      'plant stores': [fake, ...stores].map(({ name }) => name).join(', '),
      sequences: run,
      ...counts,
      'records compared': compared.length * stores.length,
      'of those deleted': compared.filter((name) => expected.get(name) === 'deleted').length * stores.length,
    },
    failures: [...(details.failed ? [describe(details)] : []), ...differences],
  };
}

/**
 * Returns the parts of replies in which two stores must not differ: everything except times, the order of the replies, and the message of
 * `invalid_token`, because the fake has only one such message.
 */
function toComparable(seen: readonly Observation[]): readonly string[] {
  const texts = seen.map(({ status, body, replayed }) => {
    const text = body
      .replace(/"(addedAt|from|until)":"\d{4}(-\d\d){2}T\d\d(:\d\d){2}\.\d{3}Z"/g, '"$1":…')
      // The entity tag depends on the time. In JSON, its quotes are escaped.
      .replace(/"etag":"\\"[\w-]{22}\\""/g, '"etag":…');
    return `${status} ${replayed} ${text.replace(/^(\{"error":40101,"message":").*"\}$/, '$1…"}')}`;
  });
  return texts.toSorted();
}

const isSame = (seen: readonly Observation[], expected: readonly Observation[]) =>
  isDeepStrictEqual(toComparable(seen), toComparable(expected));

function fail(
  { name }: Store,
  { method, path, body = '' }: Request,
  seen: readonly Observation[],
  expected: readonly Observation[],
): never {
  const request = `${method} ${path} ${body.slice(0, 1_000)}`;
  throw new Error(`${name}: ${request} led to ${JSON.stringify(seen)}, expected ${JSON.stringify(expected)}`);
}

/** Whether an observation equals one of two. In a batch, each result can equal either. */
function isEither(seen: Observation, ...expected: readonly [Observation, Observation]): boolean {
  if (expected.some((candidate) => isSame([candidate], [seen]))) return true;
  const [results, ...others] = [seen, ...expected].map(({ body }) => parse(body)['results']);
  return (
    Array.isArray(results) &&
    results.every((result, index) =>
      others.some((other) => Array.isArray(other) && isDeepStrictEqual(other[index], result)),
    )
  );
}

/** Describes the shortest sequence that fails, with the reason, and with fast-check's seed and path. */
function describe<T>(details: fc.RunDetails<T>): string {
  const { errorInstance } = details;
  const reason = errorInstance instanceof Error ? errorInstance.message : String(errorInstance);
  return `${reason}\n${fc.defaultReportMessage(details)}`;
}

/** A list of a resource. */
interface List {
  readonly resource: TestedResource;
  readonly query: ListQuery;
}

/**
 * Lists all records of the fake and of a store. Pages can have different sizes within the limit.
 *
 * @returns the number of requests to the store
 * @throws {Error} if the store's list is out of order, or differs from the fake's
 */
async function compareLists(
  fake: Store,
  store: Store,
  list: List,
  unknown: ReadonlySet<string>,
): Promise<number> {
  const [expected, actual] = [await readPages(fake, list), await readPages(store, list)];
  const failList = (text: string) => {
    throw new Error(`${store.name}: ${text} in a list of ${list.resource.plural}, ${toJson(list.query)}`);
  };
  for (const [index, record] of actual.shown.entries()) {
    const before = actual.shown[index - 1];
    if (before !== undefined && !isInOrder(before, record, list.query))
      failList(`${record.id} comes after ${before.id}`);
  }
  // Compared as sets, because the times differ, and with them the order by time.
  const [expectedRecords = new Set(), actualRecords = new Set()] = [expected, actual].map(({ shown }) => {
    const compared = shown.filter((record) => !unknown.has(nameOf(record)));
    return new Set(compared.map(({ id, fields }) => `${id} ${toJson(fields)}`));
  });
  const missing = [...expectedRecords].find((record) => !actualRecords.has(record));
  const unexpected = [...actualRecords].find((record) => !expectedRecords.has(record));
  if (missing !== undefined || unexpected !== undefined)
    failList(`${unexpected} is shown, expected ${missing}`);
  return actual.pages;
}

async function readPages(store: Store, { resource, query }: List) {
  const shown: ShownRecord[] = [];
  const [method, url] = requestOf({ resource }, 'list');
  let after: unknown;
  for (let pages = 1; ; pages++) {
    const parameters = Object.entries({ ...query, after }).flatMap(([name, value]) =>
      value === undefined ? [] : [`${name}=${encodeURIComponent(`${value}`)}`],
    );
    const path = `${url}?${parameters.join('&')}`;
    const { status, body } = await store.send({ method, path }, 'main');
    const { [resource.plural]: page, next } = parse(body);
    if (status !== 200 || !Array.isArray(page) || page.length > query.limit)
      throw new Error(`${store.name}: GET ${path} led to ${status} ${body}`);
    shown.push(...page.map((record) => toShownRecord(resource, record)));
    after = next;
    if (after === undefined) return { shown, pages };
  }
}

function isInOrder(before: ShownRecord, { id, addedAt = '' }: ShownRecord, { order }: ListQuery): boolean {
  if (order === 'id') return before.id < id;
  const { addedAt: earlier = '' } = before;
  return earlier > addedAt || (earlier === addedAt && before.id > id);
}
