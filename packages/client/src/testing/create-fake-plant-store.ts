import { plantScopes, type Scope } from '@plant-store/contract/access-token';
import type { Plant } from '@plant-store/contract/operations';
import type { Fetch } from '../options.js';
import { parseBaseUrl } from '../parse-base-url.js';
import { delay, withTimeout } from '../timeout.js';
import { answer } from './answer.js';
import { answerWithFault, checkFault, type Fault, hostNotFound } from './faults.js';
import { noteChange, type StoreState } from './handlers.js';
import { type Reply, toResponse } from './reply.js';

/** Where a fake plant store seems to be, and which token it accepts. */
export interface FakePlantStoreOptions {
  /** The address to seem to be at, as `createClient` takes it. Default: `http://plant-store.test`. */
  readonly baseUrl?: string | URL;
  /** The access token to accept, any text that is a bearer token. Default: one of the form that the service issues. */
  readonly token?: string;
  /** What its access tokens permit. Default: everything with plants. */
  readonly scopes?: readonly Scope[];
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
  /** What is stored now, by id, in the order in which it came. */
  readonly plants: ReadonlyMap<bigint, Readonly<Plant>>;
  /** How many of the scripted faults no request has met yet. */
  readonly faultsLeft: number;
  /** Accepts these access tokens from now on, and no others; `token` is then the first of them. */
  acceptTokens(token: string, ...others: readonly string[]): void;
  /**
   * Scripts what goes wrong with the next requests: one fault for each, in order, after those scripted before.
   *
   * @throws {RangeError | TypeError} when the status, the headers or the body of a fault cannot be a response's
   */
  fail(...faults: readonly Fault[]): void;
  /**
   * Stores these plants, and nothing else, as where an operator restores a backup: places of changes from before are rejected with
   * `cursor_expired`. A backup is a copy of `plants`: `new Map(store.plants)`.
   */
  restore(backup: ReadonlyMap<bigint, Readonly<Plant>>): void;
  /** Forgets all plants, deleted ones too, tokens that were created, and all scripted faults; the accepted tokens stay. */
  clear(): void;
}

/**
 * Creates an empty plant store in memory behind a `fetch`, so that code that uses the client is tested without a
 * server. It answers as the service does: the same statuses, bodies, numbers and messages, the headers
 * `Content-Type`, `WWW-Authenticate`, `Allow`, `ETag`, `Idempotent-Replayed` and `X-Request-Id`, and a body of up to 1 MiB.
 *
 * It differs from the service in this: it serves no documentation; it limits no rates and sends no other headers,
 * those for browsers among them; a token of the issued form that is not accepted is always an unknown one, whether
 * mistyped, expired or revoked (the number is the same, the message is not); of a response, `url` is empty.
 *
 * @throws {TypeError} when the base address cannot be one
 *
 * @example
 * import { createClient } from '@plant-store/client';
 * import { createFakePlantStore } from '@plant-store/client/testing';
 *
 * const store = createFakePlantStore();
 * const { baseUrl, token, fetch } = store;
 * const client = createClient({ baseUrl, token, fetch });
 *
 * store.fail({ kind: 'drop', stored: true });
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
  const faults: Fault[] = [];
  const scopes = options.scopes ?? plantScopes;
  const tokens: StoreState['tokens'] = new Map();
  let generations = 1;
  let acceptedTokens: readonly [string, ...string[]] = [options.token ?? defaultToken];

  function replaceAll(backup: ReadonlyMap<bigint, Readonly<Plant>>): void {
    generations++;
    for (const records of [plants, times, deleted, originals, changes]) records.clear();
    for (const [id, plant] of backup) {
      plants.set(id, plant);
      times.set(id, Date.now());
      noteChange(id, { changes });
    }
  }

  return {
    async fetch(url, init) {
      // Kept from the request, which may take no signal but the platform's own; jsdom brings another.
      const { signal: given, ...unsignalled } = init;
      const request = new Request(url, unsignalled);
      const signal = given ?? new AbortController().signal;
      signal.throwIfAborted();
      if (!request.url.startsWith(`${baseUrl}/`)) throw hostNotFound();
      const fault = faults.shift();
      const body = new Uint8Array(await withTimeout(() => request.arrayBuffer(), Infinity, signal));
      const { method, headers } = request;
      const id = nameRequest(headers);
      const { pathname, search } = new URL(request.url);
      const path = pathname.slice(prefixLength);
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
      return faults.length;
    },
    acceptTokens(...tokens) {
      acceptedTokens = tokens;
    },
    fail(...added) {
      added.forEach(checkFault);
      faults.push(...added);
    },
    restore: (backup) => replaceAll(new Map(backup)),
    clear() {
      replaceAll(new Map());
      tokens.clear();
      faults.length = 0;
    },
  };
}

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
  let last = reply;
  while (last.body.startsWith('{"changes":[]') && performance.now() < endsAt) {
    await delay(pollMs, signal);
    // Without a place of its own it began when it came.
    query.set('after', (JSON.parse(last.body) as { next: string }).next);
    last = answerTo(`${query}`);
  }
  return last;
}

const defaultToken = `pst_${'Fake'.padEnd(49, '0')}`;

/** The caller's `X-Request-Id` when that is up to 64 letters, digits and `_.:-` and no access token, or a new UUID. */
function nameRequest(headers: Headers): string {
  const proposed = headers.get('x-request-id') ?? '';
  return acceptable.test(proposed) && !accessToken.test(proposed) ? proposed : crypto.randomUUID();
}

const acceptable = /^[\w.:-]{1,64}$/;
const accessToken = /pst_[0-9A-Za-z]/;
