import { setTimeout as delay } from 'node:timers/promises';
import autocannon from 'autocannon';
import { createLatencyHistogram } from './latency-histogram.js';
import { batchPlants, type Load, type LoadResult, LoadSchema, storedPlants } from './load.js';
import { createIds, smallestId, writeIds, writePath } from './write-ids.js';

/** How often autocannon checks whether it has been stopped. */
const sampleMs = 50;

/** How much longer a measurement lasts at most until its first reply: on a busy machine a short one may have none. */
const firstReplySeconds = 10;

/** The path of each operation, and how a client is prepared that requests it. */
const operations: Record<
  NonNullable<Load['operation']>,
  { path: string; setup?: (client: autocannon.Client, nextId: () => number) => void }
> = {
  create: { path: '/plants', setup: (client, nextId) => writeIds(client, nextId) },
  get: { path: `/plants/${smallestId}`, setup: (client) => writePath(client, storedPlants) },
  list: { path: '/plants?limit=100' },
  batch: { path: '/plants/batch', setup: (client, nextId) => writeIds(client, nextId, batchPlants) },
};

/** A separate program: takes a `Load` as JSON on its command line, prints a `LoadResult` as JSON. */
const load = LoadSchema.parse(JSON.parse(process.argv[2] ?? ''));
process.stdout.write(JSON.stringify(await generateLoad(load)));

/** Sends requests on each connection, one after another, first to warm up, then to measure. */
async function generateLoad({
  baseUrl,
  token,
  connections,
  operation = 'create',
  ids,
  warmupSeconds,
  seconds,
}: Load): Promise<LoadResult> {
  const latencies = createLatencyHistogram();
  const nextId = createIds(ids);
  const { path, setup } = operations[operation];
  const errorCounts: Record<string, number> = {};
  let acknowledged = 0;
  let errors = 0;
  let measuring = false;

  const countError = (what: string) => {
    errors++;
    errorCounts[what] = (errorCounts[what] ?? 0) + 1;
  };
  const run = autocannon(
    {
      url: `${baseUrl}${path}`,
      method: operation === 'create' || operation === 'batch' ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      connections,
      // It runs until it is stopped below; this is only an upper limit.
      duration: warmupSeconds + seconds + 2 * firstReplySeconds,
      sampleInt: sampleMs,
      ...(setup && { setupClient: (client) => setup(client, nextId) }),
    },
    () => undefined,
  );
  run.on('response', (_client, statusCode, _bytes, latencyMs) => {
    if (statusCode !== 200) {
      countError(`status ${statusCode}`);
      return;
    }
    acknowledged += operation === 'batch' ? batchPlants : 1;
    if (measuring) latencies.record(latencyMs);
  });
  run.on('reqError', (error) => countError(codeOf(error)));
  const done = new Promise((resolve) => run.on('done', resolve));

  await delay(warmupSeconds * 1000);
  measuring = true;
  const startedAtMs = performance.now();
  const cpuAtStart = process.cpuUsage();
  await delay(seconds * 1000);
  const latestEndMs = performance.now() + firstReplySeconds * 1000;
  while (latencies.count === 0 && errors === 0 && performance.now() < latestEndMs) await delay(sampleMs);
  measuring = false;
  const measuredSeconds = (performance.now() - startedAtMs) / 1000;
  const cpu = process.cpuUsage(cpuAtStart);
  run.stop();
  await done;

  return {
    measuredSeconds,
    requestsPerSecond: latencies.count / measuredSeconds,
    p50Ms: latencies.percentileMs(0.5),
    p99Ms: latencies.percentileMs(0.99),
    maxMs: latencies.percentileMs(1),
    acknowledged,
    errors,
    errorCounts,
    generatorMicrosecondsPerReply: (cpu.user + cpu.system) / Math.max(latencies.count, 1),
  };
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error ? String(error.code) : error.message;
}
