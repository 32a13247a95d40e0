import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createFakePlantStore } from '@plant-store/client/testing';
import { routes } from '@plant-store/contract/routes';
import { hasOperation, requestOf } from '../load/operations.js';
import { type Identity, nameOf, parse, toJson, toShownRecord } from '../load/records.js';
import type { TestBed } from '../system/databases.js';
import { issueToken, recordScopes, runPlantStore, Service } from '../system/service.js';

/** An API request. */
export interface Request {
  readonly method: string;
  /** Includes the query. */
  readonly path: string;
  readonly body?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The parts of a reply to compare. */
export interface Observation {
  readonly status: number;
  readonly body: string;
  readonly replayed: boolean;
}

/** An implementation of the API. */
export interface Store {
  readonly name: string;
  /**
   * Sends a request.
   *
   * @param token the name of an access token, if the request has one
   */
  send(request: Request, token: string | undefined): Promise<Observation>;
  /** Stops the store with a signal, and restarts it with the same records. */
  restart(signal: NodeJS.Signals): Promise<void>;
  /** Issues an access token with a unique name. */
  issueToken(name: string): Promise<void>;
  /** Revokes a token, and waits until it is rejected. Resolves with the time that this took, in milliseconds. */
  revokeToken(name: string): Promise<number>;
  /** Issues a token with a short lifetime, and waits until it is rejected. */
  expireToken(name: string): Promise<void>;
  /** Returns the states of these records, by name: the fields in JSON, or `deleted`. Also returns other records that the store can find. */
  readAll(all: readonly Identity[]): Promise<ReadonlyMap<string, string>>;
  stop(): Promise<unknown>;
}

/** How many consecutive rejections of a token count as a rejection by every worker. */
const consecutiveRejections = 8;

/** How long to wait for a rejection. The service documents 5 seconds, but the machine can be busy. */
const rejectionTimeoutMs = 120_000;
const pollMs = 50;

/** Starts the built service on a new database. */
export async function startServiceStore(
  name: string,
  { folder, createDatabase }: TestBed,
  settings: Readonly<Record<string, string>>,
): Promise<Store> {
  const database = await createDatabase();
  const environment = { ...settings, DATABASE_URL: database.url };
  const tokens = new Map([['main', await issueToken(environment)]]);
  const start = () =>
    new Service({
      databaseUrl: database.url,
      logFile: join(folder, `${name}.log`),
      settings: { AUTH_FAILURES_PER_MINUTE: '0', LOG_REQUESTS: 'errors', ...settings },
    }).started;
  let service = await start();
  // A new connection for each request, so that requests reach all workers.
  const exchange = (request: Request, token: string | undefined) =>
    fetch(
      `${service.baseUrl}${request.path}`,
      toRequestInit(request, tokens, token, { connection: 'close' }),
    );

  /** Waits until a token is rejected. Resolves with the time that this took, in milliseconds. */
  async function waitForRejection(token: string): Promise<number> {
    const startedAt = performance.now();
    for (let rejections = 0; rejections < consecutiveRejections; ) {
      const { status } = await exchange({ method: 'GET', path: routes.getOwnToken.path }, token);
      rejections = status === 401 ? rejections + 1 : 0;
      if (performance.now() - startedAt > rejectionTimeoutMs)
        throw new Error(`${name}: the token ${token} is still accepted`);
      if (rejections === 0) await delay(pollMs);
    }
    return performance.now() - startedAt;
  }

  return {
    name,
    send: async (request, token) => toObservation(await exchange(request, token)),
    async restart(signal) {
      await service.kill(signal);
      service = await start();
    },
    async issueToken(token) {
      tokens.set(token, await issueToken(environment, token));
    },
    async revokeToken(token) {
      const lines = (await runPlantStore(['token', 'list'], environment)).split('\n');
      const [id = ''] = lines.find((line) => line.split('\t')[1] === token)?.split('\t') ?? [];
      await runPlantStore(['token', 'revoke', id], environment);
      return waitForRejection(token);
    },
    async expireToken(token) {
      tokens.set(token, await issueToken(environment, token, '1s'));
      await waitForRejection(token);
    },
    async readAll() {
      const rows = await database.readRows();
      return new Map(rows.map((row) => [nameOf(row), row.deleted ? 'deleted' : toJson(row.fields)]));
    },
    stop: () => service.kill('SIGTERM'),
  };
}

/** Creates the client's fake plant store, which keeps its records in memory, and must behave like the service. */
export function createFakeStore(): Store {
  const store = createFakePlantStore({ scopes: recordScopes });
  const valid = new Map([['main', store.token]]);
  const issued = new Map(valid);
  const accept = () => store.acceptTokens(store.token, ...valid.values());
  const exchange = (request: Request, token: string | undefined) =>
    store.fetch(`${store.baseUrl}${request.path}`, toRequestInit(request, issued, token));
  return {
    name: 'fake',
    send: async (request, token) => toObservation(await exchange(request, token)),
    restart: async () => undefined,
    async issueToken(name) {
      for (const tokens of [valid, issued]) tokens.set(name, `fake-token-${name}`);
      accept();
    },
    async revokeToken(name) {
      valid.delete(name);
      accept();
      return 0;
    },
    async expireToken(name) {
      issued.set(name, `fake-token-${name}`);
    },
    async readAll(all) {
      const found = new Map<string, string>();
      const request = (identity: Identity, operation: 'get' | 'delete') => {
        const [method, path] = requestOf(identity, operation);
        return exchange({ method, path }, 'main');
      };
      for (const identity of all) {
        const { resource } = identity;
        const reply = await request(identity, 'get');
        const { fields } = toShownRecord(resource, parse(await reply.text()));
        if (reply.status === 200) found.set(nameOf(identity), toJson(fields));
        // Only a deleted record can be deleted now, and the delete does not change it.
        else if (hasOperation(resource, 'delete') && (await request(identity, 'delete')).status === 204)
          found.set(nameOf(identity), 'deleted');
      }
      return found;
    },
    stop: async () => undefined,
  };
}

/** Converts a request to the options of `fetch`. */
function toRequestInit(
  { method, body, headers }: Request,
  tokens: ReadonlyMap<string, string>,
  token: string | undefined,
  others: Readonly<Record<string, string>> = {},
) {
  const authorization =
    token === undefined ? {} : { authorization: `Bearer ${tokens.get(token) ?? 'unknown'}` };
  const content = body === undefined ? {} : { 'content-type': 'application/json' };
  return {
    method,
    headers: { ...others, ...headers, ...authorization, ...content },
    ...(body !== undefined && { body }),
  };
}

async function toObservation(response: Response): Promise<Observation> {
  const replayed = response.headers.get('idempotent-replayed') === 'true';
  return { status: response.status, body: await response.text(), replayed };
}
