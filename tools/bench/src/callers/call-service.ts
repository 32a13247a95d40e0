import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { createLatencyHistogram } from '../load/latency-histogram.js';
import { createIds } from '../load/write-ids.js';
import { type CallStats, type Calls, CallsSchema } from './caller-load.js';

/** The longest latency of a histogram. */
const timeoutMs = 20_000;

/** A separate program: takes `Calls` as JSON on its command line, prints a `CallsResult` as JSON. */
const calls = CallsSchema.parse(JSON.parse(process.argv[2] ?? ''));
const startedAtMs = performance.now() + calls.warmupSeconds * 1000;
const endMs = startedAtMs + calls.seconds * 1000;
const nextId = createIds('random');
const [creates, lists] = await Promise.all([sendCreates(calls), sendLists(calls)]);
process.stdout.write(JSON.stringify({ creates, lists }));
process.exit();

async function sendCreates({ creators, createsPerSecond, thinkMs }: Calls): Promise<CallStats> {
  const stats = createStats();
  const create = (agent: Agent, token: string, sentAtMs = performance.now()) => {
    const body = JSON.stringify({ id: nextId(), name: 'Lavandula angustifolia', tag: 'herb' });
    return stats.record(sentAtMs, send(agent, token, '/plants', body));
  };
  if (createsPerSecond === undefined) {
    await Promise.all(creators.map((token) => keepCalling(thinkMs, (agent) => create(agent, token))));
  } else {
    await callAtRate(createsPerSecond, creators, create);
  }
  return stats.summarize();
}

async function sendLists({ readers, lists, thinkMs }: Calls): Promise<CallStats> {
  const stats = createStats();
  await Promise.all(
    readers.map((token, reader) => {
      // Each begins with another list.
      let next = reader;
      return keepCalling(thinkMs, (agent) =>
        stats.record(performance.now(), send(agent, token, lists[next++ % lists.length] ?? '')),
      );
    }),
  );
  return stats.summarize();
}

/** Calls on one connection, again some time after each reply. */
async function keepCalling(thinkMs: number, call: (agent: Agent) => Promise<void>): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  while (performance.now() < endMs) {
    await call(agent);
    await delay(thinkMs);
  }
}

/** Calls at a fixed rate whatever is replied: a latency counts from when its request was due. */
async function callAtRate(
  perSecond: number,
  tokens: readonly string[],
  call: (agent: Agent, token: string, dueMs: number) => Promise<void>,
): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const sent: Promise<void>[] = [];
  for (let dueMs = performance.now(); dueMs < endMs; dueMs += 1000 / perSecond) {
    await delay(Math.max(0, dueMs - performance.now()));
    sent.push(call(agent, tokens[sent.length % tokens.length] ?? '', dueMs));
  }
  await Promise.all(sent);
}

/** Sends a request, and resolves with its status, or the code of its error, once the reply is complete. */
function send(agent: Agent, token: string, path: string, body?: string): Promise<string> {
  return new Promise((resolve) => {
    const sending = request(
      `${calls.baseUrl}${path}`,
      {
        agent,
        method: body === undefined ? 'GET' : 'POST',
        headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
        signal: AbortSignal.timeout(timeoutMs),
      },
      (reply) => {
        reply.on('error', fail).on('end', () => resolve(String(reply.statusCode)));
        reply.resume();
      },
    );
    function fail(error: Error): void {
      resolve(error.name === 'AbortError' ? 'timeout' : 'code' in error ? String(error.code) : error.message);
    }
    sending.on('error', fail).end(body);
  });
}

/**
 * Counts the requests that were in flight during the measurement, so that one that hangs all the time counts, too. For the rate
 * only replies within it count.
 */
function createStats() {
  const latencies = createLatencyHistogram();
  const failures: Record<string, number> = {};
  let failed = 0;
  let inTime = 0;
  return {
    async record(sentAtMs: number, reply: Promise<string>): Promise<void> {
      const outcome = await reply;
      const atMs = performance.now();
      if (atMs < startedAtMs) return;
      if (outcome === '200' || outcome === 'timeout') latencies.record(atMs - sentAtMs);
      if (outcome !== '200') {
        failed++;
        failures[outcome] = (failures[outcome] ?? 0) + 1;
      } else if (atMs < endMs) inTime++;
    },
    summarize: (): CallStats => ({
      perSecond: inTime / calls.seconds,
      p50Ms: latencies.percentileMs(0.5),
      p99Ms: latencies.percentileMs(0.99),
      maxMs: latencies.percentileMs(1),
      failed,
      failures,
    }),
  };
}
