import { createHistogram } from 'node:perf_hooks';
import process from 'node:process';
import type { Resource } from '@plant-store/contract/resource';
import { cursorsOf } from '@plant-store/records';
import autocannon, { type Client } from 'autocannon';
import { defaultResource, exampleOf } from './resource.js';
import type { RunningTarget } from './start-target.js';

/** A load. Each connection sends its next request after the reply. */
export interface Load {
  /**
   * `get` is a record by ID, `list` the first page of 100, `page` a page of 100 at a random position, `search` a search without matches,
   * and `batch` 500 creates.
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
  /** Successful replies, without the ramp-up. */
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
export const rampUpSeconds = 0.5;

/**
 * Sends load to a server, from this process.
 *
 * @param begunDeletes how many deletes earlier calls may have started
 */
export async function sendLoad(
  server: Server,
  { operation, connections, seconds, records: stored, resource = defaultResource }: Load,
  begunDeletes = 0,
): Promise<LoadResult> {
  const { method, path, body, records = 0 } = operationsOf(resource)[operation];
  let nextDelete = begunDeletes;
  const nextId = () =>
    operation === 'delete'
      ? storedId(nextDelete++, stored ?? 0)
      : randomId(method === 'GET' ? stored : undefined);
  const latencies = createHistogram();
  const begunAtMs = performance.now();
  const serverMsBefore = server.readProcessorMs();
  const generatorBefore = process.cpuUsage();
  const startMs = performance.now() + rampUpSeconds * 1000;
  const endMs = startMs + seconds * 1000;
  const result = await autocannon({
    url: `${server.baseUrl}${path}`,
    method,
    ...(body !== undefined && { body }),
    headers: headersOf(server, body),
    connections,
    duration: rampUpSeconds + seconds,
    // How often autocannon checks whether the duration is over, in milliseconds.
    sampleInt: 50,
    setupClient(client) {
      writeIds(client as SendingClient, nextId);
      client.on('response', (status, _bytes, latencyMs) => {
        const nowMs = performance.now();
        if (status > 299 || nowMs < startMs || nowMs >= endMs) return;
        // In microseconds; autocannon's own percentiles are whole milliseconds.
        latencies.record(Math.max(1, Math.round(latencyMs * 1000)));
      });
    },
  });
  const elapsedMs = performance.now() - begunAtMs;
  const serverMs = server.readProcessorMs() - serverMsBefore;
  const { user, system } = process.cpuUsage(generatorBefore);
  return {
    requestsPerSecond: latencies.count / seconds,
    p50Ms: latencies.percentile(50) / 1000,
    p99Ms: latencies.percentile(99) / 1000,
    p999Ms: latencies.percentile(99.9) / 1000,
    maxMs: latencies.max / 1000,
    processorUs: (serverMs * 1000) / (result['2xx'] + result.non2xx),
    serverCores: serverMs / elapsedMs,
    generatorCores: (user + system) / 1000 / elapsedMs,
    acknowledged: result['2xx'] * records,
    errors: result.errors + result.non2xx,
  };
}

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

/** Every ID has 16 digits, so that it can overwrite the previous one in the bytes of a request. */
const smallestId = 10 ** 15;
const idCount = Number.MAX_SAFE_INTEGER - smallestId;

/** A prime number, so that its multiples visit all indexes below a count that it does not divide. */
const stride = 7_919;

/** Returns the ID of a stored record by its index. */
const storedId = (index: number, count: number) => smallestId + index * Math.floor(idCount / count);
const randomId = (count = idCount) => storedId(Math.floor(Math.random() * count), count);

const batchOf = (resource: Resource, length: number, idOf: (index: number) => number) =>
  JSON.stringify({
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
  const body = JSON.stringify(exampleOf(resource, smallestId));
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

/** Undocumented parts of autocannon: the bytes of its request, and an event before each request. */
type SendingClient = Client & {
  getRequestBuffer(): Buffer;
  on(event: 'request', listener: () => void): unknown;
};

/**
 * Before each request is sent, overwrites the smallest ID in its bytes with a new ID. At 64 connections, the generator takes 28 µs of CPU
 * time per request with this, 26 µs for a constant request, and 48 µs with `setupRequest`.
 */
function writeIds(client: SendingClient, nextId: () => number): void {
  const request = client.getRequestBuffer();
  const placeholder = `${smallestId}`;
  const offsets: number[] = [];
  for (let offset = request.indexOf(placeholder); offset !== -1; ) {
    offsets.push(offset);
    offset = request.indexOf(placeholder, offset + 1);
  }
  // Without pipelining, the previous request has been sent completely.
  client.on('request', () => {
    for (const offset of offsets) request.write(String(nextId()), offset, 'latin1');
  });
}
