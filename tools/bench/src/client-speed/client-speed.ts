import { createClient } from '@plant-store/client';
import { countOf, formatRatio, formatTable, writeJson } from '@plant-store/report';
import { sqliteIn } from '../databases/sqlite.js';
import type { Environment } from '../environment/environment.js';
import { describeMachine, machineLine } from '../environment/machine.js';
import { resultFiles } from '../paths.js';
import { startTarget } from '../processes/start-target.js';
import { allTargets } from '../targets/all-targets.js';
import type { ClientPair, ClientResults, ClientSettings } from './client-results.js';
import { summarizePairs } from './summarize-pairs.js';

const concurrencies = [1, 16];
const warmupPairs = 4;
/** How many calls are made to estimate how many calls a run needs. */
const probeCalls = 500;

const plant = { name: 'Monstera deliciosa', tag: 'houseplant' };
/** The smallest id that the load of the comparison uses. */
const firstId = 10 ** 15;

type Create = (id: number) => Promise<void>;

/**
 * Measures creates with the client and its defaults beside the same requests with plain `fetch`, against a server that
 * stores nothing; prints a table and writes the results.
 */
export async function measureClientSpeed(settings: ClientSettings, environment: Environment): Promise<void> {
  const { folder, print, log } = environment;
  const machine = await describeMachine(folder);
  const baseline = allTargets.find(({ stores }) => !stores);
  if (!baseline) throw new Error('There is no target that stores nothing');
  const server = await startTarget(baseline, sqliteIn(folder), folder);
  const byFetch = createByFetch(server.baseUrl, server.token);
  const byClient = createByClient(server.baseUrl, server.token);
  const summaries: ClientResults['summaries'] = [];
  for (const concurrency of concurrencies) {
    await measureRate(byFetch, concurrency, probeCalls);
    const rate = await measureRate(byFetch, concurrency, probeCalls);
    const calls = Math.ceil((rate * settings.runMs) / 1000);
    const pairs: ClientPair[] = [];
    for (let number = 1 - warmupPairs; number <= settings.pairs; number++) {
      const measureFetch = () => measureRate(byFetch, concurrency, calls);
      const measureClient = () => measureRate(byClient, concurrency, calls);
      // They alternate in going first, since the second one has to collect the garbage of the first.
      const clientFirst = number % 2 === 0 ? await measureClient() : undefined;
      const fetch = await measureFetch();
      const client = clientFirst ?? (await measureClient());
      if (number > 0) pairs.push({ fetch, client });
    }
    const summary = summarizePairs(concurrency, pairs);
    summaries.push(summary);
    log(`${countOf(concurrency, 'call')} at a time: ${formatRatio(summary.ratio)}`);
  }
  await server.stop();
  const results: ClientResults = { machine, settings, summaries };
  writeJson(resultFiles.client, results);
  print(`${clientTable(results)}\n${machineLine(machine)}\n`);
}

/** The code that one would write without the client. */
function createByFetch(baseUrl: string, token: string): Create {
  const headers = {
    accept: 'application/json',
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
  };
  return async (id) => {
    const body = JSON.stringify({ id, ...plant });
    const response = await fetch(`${baseUrl}/plants`, { method: 'POST', headers, body });
    check(response.status, await response.json());
  };
}

function createByClient(baseUrl: string, token: string): Create {
  const client = createClient({ baseUrl, token });
  return async (id) => {
    const { status, body } = await client.createPlant({ body: { id, ...plant } });
    check(status, body);
  };
}

function check(status: number, body: unknown): void {
  const { name } = Object(body) as { readonly name?: unknown };
  if (status !== 200 || name !== plant.name) throw new Error(`A create got the status ${status}`);
}

/** The creates per second of that many calls, some of them concurrently. */
async function measureRate(create: Create, concurrency: number, calls: number): Promise<number> {
  let made = 0;
  const startedAtMs = performance.now();
  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      while (made < calls) await create(firstId + made++);
    }),
  );
  return (calls * 1000) / (performance.now() - startedAtMs);
}

function clientTable({ summaries, settings }: ClientResults): string {
  const table = formatTable(
    ['calls at a time', 'fetch/s', 'client/s', 'ratio'],
    summaries.map(({ concurrency, fetch, client, ratio }) => [
      concurrency,
      fetch,
      client,
      formatRatio(ratio),
    ]),
  );
  return `${table}\n\nMedians of ${countOf(settings.pairs, 'pair')} of runs of about ${settings.runMs} ms.`;
}
