import { createIdentifiedSchema, schemasOf, TimeSchema } from '@plant-store/contract';
import type { Scope } from '@plant-store/contract/access-token';
import { explainInvalid, messagesOf, subjectOf } from '@plant-store/contract/messages';
import type { ResourceTypes } from '@plant-store/contract/operations';
import { type ResourceName, resources } from '@plant-store/contract/resources';
import {
  type ChangeOrder,
  createMemoryStore,
  hashText,
  isRequestId,
  type Operations,
  operationsOf,
  type Stored,
} from '@plant-store/records';
import type { Fetch } from '../options.js';
import { parseBaseUrl } from '../parse-base-url.js';
import { delay, withTimeout } from '../timeout.js';
import { answer, matchOperation, type StoreState } from './answer.js';
import { answerWithFault, connectionError, type Fault, FaultScript } from './faults.js';
import { type Reply, toResponse } from './reply.js';
import { createMemoryTokens } from './tokens.js';

/** A record as in a create, or as in a reply. If it has the `addedAt` of a reply, the store keeps that time. */
export type RecordToStore<Name extends keyof ResourceTypes> = ResourceTypes[Name]['createInput'] & {
  readonly addedAt?: string | undefined;
};
export type PlantToStore = RecordToStore<'plant'>;

/** The records of a resource that exist, by ID. */
export type StoredRecords<Name extends keyof ResourceTypes> = ReadonlyMap<
  bigint,
  Readonly<ResourceTypes[Name]['fields']>
>;

/** Records for a fake plant store: an array, or a `Map` by ID such as `new Map(store.plants)`. */
export type RecordsToStore<Name extends keyof ResourceTypes> =
  | readonly RecordToStore<Name>[]
  | StoredRecords<Name>;
export type PlantsToStore = RecordsToStore<'plant'>;

/** The records of several resources, by resource name. */
export type AllRecords = { readonly [Name in keyof ResourceTypes]?: RecordsToStore<Name> | undefined };

/** What a fake plant store starts with. */
export interface FakePlantStoreOptions {
  /** The plants that are stored at the start. Default: none. */
  readonly plants?: PlantsToStore | undefined;
  /** The records of other resources. Default: none. */
  readonly records?: AllRecords | undefined;
  /** The store's base URL, as for `createClient`. Default: `http://plant-store.test`. */
  readonly baseUrl?: string | URL | undefined;
  /** The access token that the store accepts. Default: a token in the service's format. */
  readonly token?: string | undefined;
  /** The scopes of the access token. Default: all plant scopes. */
  readonly scopes?: readonly Scope[] | undefined;
  /** How many days the store keeps earlier states of records, like the service's `HISTORY_DAYS`. 0 keeps none. Default: forever. */
  readonly historyDays?: number | undefined;
}

/** A plant store in memory, for tests. */
export interface FakePlantStore {
  /**
   * Answers requests to `baseUrl`, as `fetch` of Node.js would. For any other URL it rejects as if the host did not exist. If `init.signal`
   * aborts before the reply, it rejects with its reason.
   */
  readonly fetch: Fetch;
  readonly baseUrl: string;
  /** An access token that is accepted now. */
  readonly token: string;
  /** The plants that are stored now, by ID, in the order in which they were stored. */
  readonly plants: StoredRecords<'plant'>;
  /** How many more requests will get a scripted fault: `Infinity` if one has `times: Infinity`. */
  readonly faultsLeft: number;
  /** Returns the stored records of any resource, such as `plant`, in the same form as `plants`. */
  records<Name extends keyof ResourceTypes>(resource: Name): StoredRecords<Name>;
  /** Accepts these access tokens instead of the previous ones from now on. `token` becomes the first of them. */
  acceptTokens(token: string, ...others: readonly string[]): void;
  /**
   * Adds faults to the script. A request gets only the first fault for its operation, or for any operation.
   *
   * @throws {RangeError | TypeError} when a fault is not valid, such as one with the status 99
   */
  fail(...faults: readonly Fault[]): void;
  /** Removes all scripted faults, so that requests succeed again. */
  clearFaults(): void;
  /**
   * Replaces everything, as when an operator restores a backup. Earlier cursors of changes are rejected with `cursor_expired`.
   *
   * @param records the records of other resources
   * @throws {TypeError} when a record is not valid. The message names the record, and contains the message of the service. Nothing is
   * replaced.
   */
  restore(plants: PlantsToStore, records?: AllRecords): void;
  /** Removes all records, created tokens, and faults. Keeps the accepted tokens. */
  clear(): void;
}

/**
 * Creates a plant store in memory behind a `fetch`, so that you can test code that uses the client without a server. Its replies have the
 * same statuses, bodies, error numbers, and messages as those of the service, and the headers `Content-Type`, `WWW-Authenticate`, `Allow`,
 * `ETag`, `Idempotent-Replayed`, and `X-Request-Id`. It accepts bodies of up to 1 MiB.
 *
 * Unlike the service, it has no rate limit and no documentation, and it sends no other headers, such as those for browsers. For a well-formed
 * token that it does not accept, the message is always that of an unknown token. The `url` of a response is empty.
 *
 * @throws {TypeError} when `baseUrl` or a plant is not valid
 *
 * @example
 * import { createClient } from '@plant-store/client';
 * import { createFakePlantStore } from '@plant-store/client/testing';
 *
 * const store = createFakePlantStore({ plants: [{ id: 14_000, name: 'Fern' }] });
 * const { baseUrl, token, fetch } = store;
 * const client = createClient({ baseUrl, token, fetch });
 *
 * store.fail({ operation: 'createPlant', kind: 'drop', stored: true });
 * const reply = await client.createPlant({ body: { id: 14_001, name: 'Rose' } });
 * console.log(reply.status === 200 && reply.replayed); // true: the second attempt found the plant stored
 * console.log(store.plants.get(14_001n)); // { name: 'Rose' }
 */
export function createFakePlantStore(options: FakePlantStoreOptions = {}): FakePlantStore {
  const baseUrl = parseBaseUrl(options.baseUrl ?? 'http://plant-store.test');
  const prefixLength = new URL(`${baseUrl}/`).pathname.length - 1;
  const changeOrder: ChangeOrder = { generation: '00000000', number: 0 };
  const faults = new FaultScript();
  const state: StoreState = {
    records: createRecords(changeOrder, options.historyDays),
    tokens: createMemoryTokens(options.token, options.scopes),
  };
  let lastAnswer: Promise<unknown> = Promise.resolve();

  function replaceAll(plants: PlantsToStore, others: AllRecords = {}): void {
    const given: Readonly<Record<string, GivenRecords | undefined>> = { plant: plants, ...others };
    const replacements = Object.entries(state.records).map(
      ([name, { operations, store }]) => [store, readRecords(operations, given[name] ?? [])] as const,
    );
    changeOrder.generation = (Number.parseInt(changeOrder.generation, 16) + 1).toString(16).padStart(8, '0');
    changeOrder.number = 0;
    for (const [store, records] of replacements) store.replaceAll(records);
  }
  replaceAll(options.plants ?? [], options.records);

  return {
    async fetch(url, init) {
      // The signal is not passed to `Request`, which rejects a signal of jsdom.
      const { signal: callerSignal, ...requestInit } = init;
      const request = new Request(url, requestInit);
      const signal = callerSignal ?? new AbortController().signal;
      signal.throwIfAborted();
      if (!request.url.startsWith(`${baseUrl}/`)) throw connectionError('getaddrinfo', 'ENOTFOUND');
      const { method, headers } = request;
      const { pathname, search } = new URL(request.url);
      const path = pathname.slice(prefixLength);
      const fault = faults.take(matchOperation(method, path)?.name);
      const body = new Uint8Array(await withTimeout(() => request.arrayBuffer(), Infinity, signal));
      const id = chooseRequestId(headers);
      // Requests are answered one after the other, because a batch has several steps.
      const answerTo = (query: string) => {
        const reply = lastAnswer.then(() => answer({ id, method, path, query, headers, body }, state));
        lastAnswer = reply.catch(() => undefined);
        return reply;
      };
      let reply = await answerWithFault(id, () => answerTo(search.slice(1)), fault, signal);
      const parameters = new URLSearchParams(search);
      const endsAt = performance.now() + 1_000 * Number(parameters.get('wait'));
      for (let next = nextOfEmptyPage(reply); next !== undefined && performance.now() < endsAt; ) {
        await delay(pollMs, signal);
        // Continues from the last reply, because a request without a position waits for changes after its arrival.
        parameters.set('after', next);
        reply = await answerTo(`${parameters}`);
        next = nextOfEmptyPage(reply);
      }
      return toResponse(reply);
    },
    baseUrl,
    get token() {
      return state.tokens.firstSecrets[0];
    },
    plants: recordsOf('plant'),
    records: recordsOf,
    get faultsLeft() {
      return faults.left;
    },
    acceptTokens(...tokens) {
      state.tokens.firstSecrets = tokens;
    },
    fail: (...added) => faults.add(added),
    clearFaults: () => faults.clear(),
    restore: replaceAll,
    clear() {
      replaceAll([]);
      state.tokens.clear();
      faults.clear();
    },
  };

  function recordsOf<Name extends keyof ResourceTypes>(resource: Name): StoredRecords<Name> {
    return state.records[resource].store.records as StoredRecords<Name>;
  }
}

function createRecords(changes: ChangeOrder, historyDays: number | undefined): StoreState['records'] {
  const platform = { digest, now: () => Date.now(), changes, historyDays };
  const created = Object.values(resources).map((resource) => [
    resource.name,
    {
      operations: operationsOf<object>(resource, schemasOf(resource).create, platform),
      store: createMemoryStore<object>(resource, platform),
    },
  ]);
  return Object.fromEntries(created) as StoreState['records'];
}

/** Returns a hash with the length and characters of a SHA-256 in base64url. It is not secure. */
const digest = (text: string) =>
  Array.from({ length: 7 }, (_, seed) => hashText(`${seed}${text}`).padStart(7, '0'))
    .join('')
    .slice(0, 43);

type GivenRecords = readonly object[] | ReadonlyMap<bigint, object>;

/** @throws {TypeError} when a record is not valid */
function readRecords({ resource, columns }: Operations<object>, given: GivenRecords) {
  const { fields } = schemasOf(resource as (typeof resources)[ResourceName]);
  const schema = createIdentifiedSchema({ ...fields.shape, addedAt: TimeSchema.optional() });
  const stored = new Map<bigint, Stored<object>>();
  const inputs = 'length' in given ? given : [...given].map(([id, record]) => ({ ...record, id }));
  for (const [index, input] of inputs.entries()) {
    const { id, idText = id } = Object(input);
    const label = `${resource.plural}[${index}]${idText === undefined ? '' : `, with the id ${idText}`}`;
    const { data, error } = schema.safeParse(input);
    if (data === undefined)
      throw new TypeError(`${label}: ${explainInvalid({ body: error.issues }, subjectOf(resource)).message}`);
    if (!columns.isSame(stored.get(data.id) ?? data, data))
      throw new TypeError(`${label}: ${messagesOf(resource).idTaken(data.id)}`);
    const { addedAt = Date.now() } = data;
    stored.set(data.id, { ...data, addedAt });
  }
  return stored.values();
}

/** Returns the `next` of an empty page of changes, or `undefined` for any other reply. */
const nextOfEmptyPage = ({ body }: Reply) => /^\{"changes":\[\],"next":"([^"]*)"\}$/.exec(body)?.[1];

/** How often a waiting request checks for a change, in milliseconds. */
const pollMs = 10;

/** Returns the caller's `X-Request-Id` if it is valid and does not contain an access token, and otherwise a new UUID. */
function chooseRequestId(headers: Headers): string {
  const proposed = headers.get('x-request-id') ?? '';
  return isRequestId(proposed) && !/pst_[0-9A-Za-z]/.test(proposed) ? proposed : crypto.randomUUID();
}
