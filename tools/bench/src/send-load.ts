import { createHistogram } from 'node:perf_hooks';
import process from 'node:process';
import { stringifyExactJson } from '@plant-store/contract/exact-json/stringify';
import type { Resource } from '@plant-store/contract/resource';
import { cursorsOf } from '@plant-store/records';
import { Client, type Dispatcher } from 'undici';
import { defaultResource, exampleOf } from './resource.js';
import type { RunningTarget } from './start-target.js';

/** A load. Each connection waits for the reply before it sends the next request. */
export interface Load {
  /**
   * `get` reads a record by ID, `list` the first page of 100, and `page` a page of 100 at a random position. `search` searches without
   * matches, and `batch` creates 500 records.
   */
  readonly operation: 'create' | 'get' | 'list' | 'page' | 'search' | 'delete' | 'batch';
  readonly connections: number;
  /** How many records `storeRecords` has stored. Each can be deleted once. */
  readonly records?: number;
  /** Default: the resource that all targets have. */
  readonly resource?: Resource | undefined;
  readonly seconds: number;
}

export interface LoadResult {
  /** Successful replies per second, without the ramp-up. */
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
  /** CPU time of the server per request, in microseconds. `NaN` if it is not known. */
  readonly processorUs: number;
  /** How many cores the server used. */
  readonly serverCores: number;
  /** How many cores this process used. */
  readonly generatorCores: number;
  /** By how much the number of stored records must have grown. Negative after deletes. */
  readonly acknowledged: number;
  /** The number of unsuccessful replies, failed connections, and timeouts. */
  readonly errors: number;
}

type Server = Pick<RunningTarget, 'baseUrl' | 'token' | 'readProcessorMs'>;

/** The number of records per batch. */
export const batchSize = 500;

/** How long requests are sent before the measured time begins. */
const rampUpSeconds = 0.5;

/** How long a connection waits for a reply. */
const timeoutMs = 10_000;

/**
 * Sends load to a server, from this process. Resolves once every request has its reply.
 *
 * @param deleted how many records earlier calls have deleted
 */
export async function sendLoad(
  server: Server,
  { operation, connections, seconds, records: stored, resource = defaultResource }: Load,
  deleted = 0,
): Promise<LoadResult> {
  const { method, path, body, records = 0 } = operationsOf(resource)[operation];
  let nextDelete = deleted;
  const nextId = () =>
    operation === 'delete'
      ? storedId(nextDelete++, stored ?? 0)
      : randomId(method === 'GET' ? stored : undefined);
  const withIds = (text: string) => text.replaceAll(`${smallestId}`, () => String(nextId()));
  const headers = headersOf(server, body);
  const latencies = createHistogram();
  let successes = 0;
  let errors = 0;
  const serverMsBefore = server.readProcessorMs();
  const generatorBefore = process.cpuUsage();
  const rampUpStartMs = performance.now();
  const startMs = rampUpStartMs + rampUpSeconds * 1000;
  const endMs = startMs + seconds * 1000;
  async function sendRepeatedly(client: Client): Promise<void> {
    let sentMs = performance.now();
    while (sentMs < endMs) {
      const request = { method, path: withIds(path), headers, body: body ? withIds(body) : null };
      const status = await send(client, request).catch(() => 0);
      const repliedMs = performance.now();
      if (status >= 200 && status < 300) {
        successes++;
        // In microseconds.
        if (repliedMs >= startMs && repliedMs < endMs)
          latencies.record(Math.max(1, Math.round((repliedMs - sentMs) * 1000)));
      } else errors++;
      sentMs = repliedMs;
    }
    await client.close();
  }
  const clients = Array.from(
    { length: connections },
    () => new Client(server.baseUrl, { headersTimeout: timeoutMs, bodyTimeout: timeoutMs }),
  );
  await Promise.all(clients.map(sendRepeatedly));
  const elapsedMs = performance.now() - rampUpStartMs;
  const serverMs = server.readProcessorMs() - serverMsBefore;
  const { user, system } = process.cpuUsage(generatorBefore);
  return {
    requestsPerSecond: latencies.count / seconds,
    p50Ms: latencies.percentile(50) / 1000,
    p99Ms: latencies.percentile(99) / 1000,
    p999Ms: latencies.percentile(99.9) / 1000,
    maxMs: latencies.max / 1000,
    processorUs: (serverMs * 1000) / (successes + errors),
    serverCores: serverMs / elapsedMs,
    generatorCores: (user + system) / 1000 / elapsedMs,
    acknowledged: successes * records,
    errors,
  };
}

/** Sends a request, and resolves with the status of the reply once the reply is complete. */
const send = (client: Client, request: Dispatcher.DispatchOptions) =>
  new Promise<number>((resolve, reject) => {
    let status = 0;
    client.dispatch(request, {
      onRequestStart: () => undefined,
      onResponseStart(_, statusCode) {
        status = statusCode;
      },
      onResponseData: () => undefined,
      onResponseEnd: () => resolve(status),
      onResponseError: (_, error) => reject(error),
    });
  });

/** Stores records in batches. Like the IDs of creates, their IDs are spread over the range, in no order. */
export async function storeRecords(server: Server, count: number, resource = defaultResource): Promise<void> {
  for (let stored = 0; stored < count; stored += batchSize) {
    const length = Math.min(batchSize, count - stored);
    const body = batchOf(resource, length, (index) => storedId(((stored + index) * stride) % count, count));
    const request = { method: 'POST', headers: headersOf(server, body), body };
    const { status } = await fetch(`${server.baseUrl}/${resource.plural}/batch`, request);
    if (status !== 200) throw new Error(`The reply to a batch has the status ${status}`);
  }
}

const headersOf = ({ token }: Server, body: string | undefined) => ({
  authorization: `Bearer ${token}`,
  ...(body !== undefined && { 'content-type': 'application/json' }),
});

/** The smallest ID. In `operationsOf`, stands for the ID to send. All IDs have 16 digits, so that requests are equally long. */
const smallestId = 10 ** 15;
const idCount = Number.MAX_SAFE_INTEGER - smallestId;

/** A prime number, so that its multiples visit all indexes below a count that it does not divide. */
const stride = 7_919;

/** Returns the ID of a stored record by its index. */
const storedId = (index: number, count: number) => smallestId + index * Math.floor(idCount / count);
const randomId = (count = idCount) => storedId(Math.floor(Math.random() * count), count);

const batchOf = (resource: Resource, length: number, idOf: (index: number) => number) =>
  stringifyExactJson({
    [resource.plural]: Array.from({ length }, (_, index) => exampleOf(resource, idOf(index))),
  });

/** How to request an operation. */
interface Operation {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: string;
  /** By how much a request changes the number of records. Default: 0. */
  readonly records?: number;
}

/** Returns how to request each operation of a resource. */
export function operationsOf(resource: Resource): Record<Load['operation'], Operation> {
  const path = `/${resource.plural}`;
  const after = cursorsOf(resource).write({}, { id: BigInt(smallestId) });
  const body = stringifyExactJson(exampleOf(resource, smallestId));
  const batch = batchOf(resource, batchSize, () => smallestId);
  return {
    create: { method: 'POST', path, body, records: 1 },
    get: { method: 'GET', path: `${path}/${smallestId}` },
    list: { method: 'GET', path: `${path}?limit=100` },
    page: { method: 'GET', path: `${path}?limit=100&after=${after}` },
    search: { method: 'GET', path: `${path}?limit=100&q=not+the+name+of+any` },
    delete: { method: 'DELETE', path: `${path}/${smallestId}`, records: -1 },
    batch: { method: 'POST', path: `${path}/batch`, body: batch, records: batchSize },
  };
}
