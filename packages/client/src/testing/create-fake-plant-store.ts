import { createIdentifiedSchema, PlantSchema, TimeSchema } from '@plant-store/contract';
import { defaultScopes, type Scope } from '@plant-store/contract/access-token';
import { fieldsOf, hasSameFields } from '@plant-store/contract/fields';
import { explainInvalidRequest, messages } from '@plant-store/contract/messages';
import type { NewPlantInput, Plant } from '@plant-store/contract/operations';
import type { Fetch } from '../options.js';
import { parseBaseUrl } from '../parse-base-url.js';
import { delay, withTimeout } from '../timeout.js';
import { answer } from './answer.js';
import { answerWithFault, connectionError, createFaultScript, type Fault } from './faults.js';
import type { StoreState } from './handlers.js';
import { matchOperation } from './read-request.js';
import { type Reply, toResponse } from './reply.js';

/** A plant as `createPlant` takes it, or as a reply has it, whose `addedAt` it keeps. */
export type PlantToStore = NewPlantInput & { readonly addedAt?: string | undefined };

/** Plants for a fake plant store: an array, or a `Map` by ID such as `new Map(store.plants)`. */
export type PlantsToStore = readonly PlantToStore[] | ReadonlyMap<bigint, Readonly<Plant>>;

/** What a fake plant store starts with. */
export interface FakePlantStoreOptions {
  /** The plants that are stored at first. Default: none. */
  readonly plants?: PlantsToStore | undefined;
  /** Its address, as `createClient` takes it. Default: `http://plant-store.test`. */
  readonly baseUrl?: string | URL | undefined;
  /** The access token that it accepts. Default: one of the form that the service issues. */
  readonly token?: string | undefined;
  /** What its access tokens permit. Default: everything with plants. */
  readonly scopes?: readonly Scope[] | undefined;
}

/** A plant store in memory, for tests. */
export interface FakePlantStore {
  /**
   * Answers requests to the base address, as `fetch` of Node.js would; for any other address it rejects as for a host
   * that does not exist. It rejects with the reason of `init.signal` once that ends before the reply is there.
   */
  readonly fetch: Fetch;
  readonly baseUrl: string;
  /** An access token that is accepted now. */
  readonly token: string;
  /** What is stored now, by ID, in the order in which it was stored. */
  readonly plants: ReadonlyMap<bigint, Readonly<Plant>>;
  /** How many requests are yet to meet a scripted fault: `Infinity` if one has `times: Infinity`. */
  readonly faultsLeft: number;
  /** Accepts these access tokens from now on, and no others; `token` is then the first of them. */
  acceptTokens(token: string, ...others: readonly string[]): void;
  /**
   * Scripts faults, after those scripted before. A request meets the first one for its operation or for any, and no other.
   *
   * @throws {RangeError | TypeError} when a fault is not valid, such as one with the status 99
   */
  fail(...faults: readonly Fault[]): void;
  /** Removes all scripted faults, so that requests succeed again. */
  clearFaults(): void;
  /**
   * Replaces all plants, as when an operator restores a backup: earlier cursors of changes are rejected with `cursor_expired`.
   *
   * @throws {TypeError} when a plant is not valid. The message names it, and says what the service would. Nothing is replaced then.
   */
  restore(plants: PlantsToStore): void;
  /** Removes all plants, also those that the store started with, all tokens that were created, and all faults. Accepted tokens stay. */
  clear(): void;
}

/**
 * Creates a plant store in memory behind a `fetch`, so that you can test code that uses the client without a server. It answers as
 * the service does: the same statuses, bodies, numbers, and messages, the headers `Content-Type`, `WWW-Authenticate`, `Allow`, `ETag`,
 * `Idempotent-Replayed`, and `X-Request-Id`, and a body of up to 1 MiB.
 *
 * It differs from the service: it has no rate limit and no documentation, and it sends no other headers, such as those for browsers. For
 * a token of the issued form that it does not accept, the message is always the one for an unknown token. The `url` of a response is
 * empty.
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
  const plants = new Map<bigint, Readonly<Plant>>();
  const times = new Map<bigint, number>();
  const deleted = new Set<bigint>();
  const originals = new Map<bigint, Readonly<Plant>>();
  const changes: StoreState['changes'] = new Map();
  const faults = createFaultScript();
  const scopes = options.scopes ?? defaultScopes;
  const tokens: StoreState['tokens'] = new Map();
  let generations = 0;
  let acceptedTokens: readonly [string, ...string[]] = [options.token ?? defaultToken];

  function replaceAll(given: PlantsToStore): void {
    const added = readPlants(given);
    generations++;
    for (const records of [plants, times, deleted, originals, changes]) records.clear();
    for (const [id, { plant, at }] of added) {
      plants.set(id, plant);
      times.set(id, at);
      changes.set(id, { number: changes.size + 1, at });
    }
  }
  replaceAll(options.plants ?? []);

  return {
    async fetch(url, init) {
      // Kept from the request, which may take no signal but the platform's own; jsdom brings another.
      const { signal: given, ...unsignalled } = init;
      const request = new Request(url, unsignalled);
      const signal = given ?? new AbortController().signal;
      signal.throwIfAborted();
      if (!request.url.startsWith(`${baseUrl}/`)) throw connectionError('getaddrinfo', 'ENOTFOUND');
      const { method, headers } = request;
      const { pathname, search } = new URL(request.url);
      const path = pathname.slice(prefixLength);
      const fault = faults.take(matchOperation(method, path)?.name);
      const body = new Uint8Array(await withTimeout(() => request.arrayBuffer(), Infinity, signal));
      const id = nameRequest(headers);
      const answerTo = (query: string) =>
        answer(
          { id, method, path, query, headers, body },
          {
            ...{ acceptedTokens, scopes, tokens, plants, times, deleted, originals, changes },
            generation: generations.toString(16).padStart(8, '0'),
          },
        );
      const answerable = { id, answer: () => answerTo(search.slice(1)) };
      const reply = await answerWithFault(answerable, fault, signal);
      return toResponse(path === '/changes' ? await waitForChange(reply, answerTo, search, signal) : reply);
    },
    baseUrl,
    get token() {
      return acceptedTokens[0];
    },
    plants,
    get faultsLeft() {
      return faults.left;
    },
    acceptTokens(...tokens) {
      acceptedTokens = tokens;
    },
    fail: (...added) => faults.add(added),
    clearFaults: faults.clear,
    restore: replaceAll,
    clear() {
      replaceAll([]);
      tokens.clear();
      faults.clear();
    },
  };
}

const PlantToStoreSchema = createIdentifiedSchema({ ...PlantSchema.shape, addedAt: TimeSchema.optional() });

/** Plants by ID, and when each was added, in milliseconds since 1970. @throws {TypeError} when one is not valid */
function readPlants(given: PlantsToStore) {
  const read = new Map<bigint, { readonly plant: Plant; readonly at: number }>();
  const inputs = 'length' in given ? given : [...given].map(([id, plant]) => ({ ...plant, id }));
  for (const [index, input] of inputs.entries()) {
    const { id, idText = id } = Object(input);
    const name = idText === undefined ? `plants[${index}]` : `plants[${index}], with the id ${idText}`;
    const refuse = (message: string) => new TypeError(`${name}: ${message}`);
    const { data, error } = PlantToStoreSchema.safeParse(input);
    if (data === undefined) throw refuse(explainInvalidRequest({ body: error.issues }).message);
    const plant = fieldsOf(data);
    if (!hasSameFields(read.get(data.id)?.plant ?? plant, plant)) throw refuse(messages.idTaken(data.id));
    read.set(data.id, { plant, at: data.addedAt ?? Date.now() });
  }
  return read;
}

const emptyPage = /^\{"changes":\[\],"next":"([^"]*)"\}$/;

/** How often a request that waits looks for a change, in milliseconds. */
const pollMs = 10;

/** The reply to a request for changes; once there are some, if it waits for these and there are none. */
async function waitForChange(
  reply: Reply,
  answerTo: (query: string) => Reply,
  search: string,
  signal: AbortSignal,
): Promise<Reply> {
  const query = new URLSearchParams(search);
  const endsAt = performance.now() + 1_000 * Number(query.get('wait'));
  for (let last = reply; ; last = answerTo(`${query}`)) {
    const next = emptyPage.exec(last.body)?.[1];
    if (next === undefined || performance.now() >= endsAt) return last;
    await delay(pollMs, signal);
    // A request without a place of its own waits for what follows its arrival.
    query.set('after', next);
  }
}

const defaultToken = `pst_${'Fake'.padEnd(49, '0')}`;

/** The caller's `X-Request-Id` when that is up to 64 letters, digits and `_.:-` and no access token, or a new UUID. */
function nameRequest(headers: Headers): string {
  const proposed = headers.get('x-request-id') ?? '';
  return acceptable.test(proposed) && !accessToken.test(proposed) ? proposed : crypto.randomUUID();
}

const acceptable = /^[\w.:-]{1,64}$/;
const accessToken = /pst_[0-9A-Za-z]/;
