import { createHistogram } from 'node:perf_hooks';
import process from 'node:process';
import type { Resource } from '@plant-store/contract/resource';
import { cursorsOf } from '@plant-store/records';
import autocannon, { type Client } from 'autocannon';
import { defaultResource, exampleOf } from './resource.js';
import type { RunningTarget } from './start-target.js';

/** A load: one request after another on each connection. */
export interface Load {
  /**
   * Single creates or deletes, a record by id, the first page of 100, a page of 100 at a random position, a search without matches, or a
   * batch of 500 creates.
   */
  readonly operation: 'create' | 'get' | 'list' | 'page' | 'search' | 'delete' | 'batch';
  readonly connections: number;
  /** How many records `storeRecords` stored before. Each can be deleted once. */
  readonly records?: number;
  /** The resource. Default: the one that all targets have. */
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
  /** CPU time of the server per request, in microseconds; `NaN` if it cannot be read. */
  readonly processorUs: number;
  /** How many cores the server and this process used. */
  readonly serverCores: number;
  readonly generatorCores: number;
  /** By how much the number of stored records must have grown; negative after deletes. */
  readonly acknowledged: number;
  /** Other replies, failed connections and timeouts. */
  readonly errors: number;
}

type Server = Pick<RunningTarget, 'baseUrl' | 'token' | 'readProcessorMs'>;

/** The number of records per batch. */
export const batchSize = 500;

/** How long requests are sent before the measurement starts. */
export const rampUpSeconds = 0.5;

/**
 * Sends load to a server, from this process.
 *
 * @param begun how many deletes may have been started before
 */
export async function sendLoad(
  server: Server,
  { operation, connections, seconds, records: stored, resource = defaultResource }: Load,
  begun = 0,
): Promise<LoadResult> {
  const { method, path, body, records = 0 } = operationsOf(resource)[operation];
  let deleted = begun;
  const nextId = () =>
    operation === 'delete'
      ? storedId(deleted++, stored ?? 0)
      : randomId(method === 'GET' ? stored : undefined);
  const latencies = createHistogram();
  const [begunAtMs, serverMs, generator] = [performance.now(), server.readProcessorMs(), process.cpuUsage()];
  const startMs = performance.now() + rampUpSeconds * 1000;
  const endMs = startMs + seconds * 1000;
  const result = await autocannon({
    url: `${server.baseUrl}${path}`,
    method,
    ...(body !== undefined && { body }),
    headers: headersOf(server, body),
    connections,
    duration: rampUpSeconds + seconds,
    // How often autocannon checks whether its time is over.
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
  const usedMs = server.readProcessorMs() - serverMs;
  const { user, system } = process.cpuUsage(generator);
  return {
    requestsPerSecond: latencies.count / seconds,
    p50Ms: latencies.percentile(50) / 1000,
    p99Ms: latencies.percentile(99) / 1000,
    p999Ms: latencies.percentile(99.9) / 1000,
    maxMs: latencies.max / 1000,
    processorUs: (usedMs * 1000) / (result['2xx'] + result.non2xx),
    serverCores: usedMs / elapsedMs,
    generatorCores: (user + system) / 1000 / elapsedMs,
    acknowledged: result['2xx'] * records,
    errors: result.errors + result.non2xx,
  };
}

/** Stores records in batches. Their ids are spread over the range in random order, as for creates. */
export async function storeRecords(server: Server, count: number, resource = defaultResource): Promise<void> {
  for (let stored = 0; stored < count; stored += batchSize) {
    const length = Math.min(batchSize, count - stored);
    const body = batchOf(resource, length, (index) => storedId(((stored + index) * 7_919) % count, count));
    const request = { method: 'POST', headers: headersOf(server, body), body };
    const { status } = await fetch(`${server.baseUrl}/${resource.plural}/batch`, request);
    if (status !== 200) throw new Error(`A batch was answered ${status}`);
  }
}

const headersOf = ({ token }: Server, body: string | undefined) => ({
  authorization: `Bearer ${token}`,
  ...(body !== undefined && { 'content-type': 'application/json' }),
});

/** Every id has 16 digits, so that it can overwrite the previous one: all 53-bit ids except the lowest ninth. */
const smallestId = 10 ** 15;
const idCount = Number.MAX_SAFE_INTEGER - smallestId;
/** The id of a stored record, by index and number of records. */
const storedId = (index: number, count: number) => smallestId + index * Math.floor(idCount / count);
const randomId = (count = idCount) => storedId(Math.floor(Math.random() * count), count);

const batchOf = (resource: Resource, length: number, idOf: (index: number) => number) =>
  JSON.stringify({
    [resource.plural]: Array.from({ length }, (_, index) => exampleOf(resource, idOf(index))),
  });

/** How to request an operation, and by how much it changes the number of records. */
interface Operation {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly body?: string;
  readonly records?: number;
}

/** How to request each operation of a resource. */
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
 * Overwrites the smallest id in the bytes of the request with a new id before each request is sent. CPU time of the generator per request,
 * at 64 connections: 28 µs with this, 26 µs for a constant request, 48 µs with `setupRequest`.
 */
function writeIds(client: SendingClient, nextId: () => number): void {
  const request = client.getRequestBuffer();
  const starts: number[] = [];
  for (let at = request.indexOf(`${smallestId}`); at !== -1; at = request.indexOf(`${smallestId}`, at + 1)) {
    starts.push(at);
  }
  // Without pipelining, the previous request has been sent and answered before the next one.
  client.on('request', () => {
    for (const start of starts) request.write(String(nextId()), start, 'latin1');
  });
}
