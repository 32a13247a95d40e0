import process from 'node:process';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createClient } from '@plant-store/client';
import ky from 'ky';
import createOpenApiClient from 'openapi-fetch';
import { formatTable, median } from './report.js';
import { versionsOf } from './targets.js';

/** The number of calls per round. It is so low that their allocations fit into the young generation. */
const callsPerRound = 50;

const baseUrl = 'http://127.0.0.1:3000';
const token = `pst_${'0'.repeat(32)}`;
const headers = { authorization: `Bearer ${token}` };
const plant = { id: 1_000_000_000_000_000, name: 'Monstera deliciosa', tag: 'houseplant' };
const stored = { ...plant, idText: `${plant.id}`, addedAt: '2026-11-30T06:00:00.000Z' };

/** The replies of the service, by method and path. */
const replies: Readonly<Record<string, string>> = {
  'POST /plants': JSON.stringify({ name: plant.name, tag: plant.tag }),
  [`GET /plants/${plant.id}`]: JSON.stringify(stored),
  'GET /plants': JSON.stringify({ plants: Array(100).fill(stored), next: 'a.b.1' }),
};

/** A `fetch` that replies immediately, so that only the client is measured. */
const replyImmediately: typeof fetch = async (input, init) => {
  const { method, url } = input instanceof Request ? input : { method: init?.method, url: `${input}` };
  const text = replies[`${method} ${new URL(url).pathname}`];
  return new Response(text, { status: 200, headers: { 'content-type': 'application/json' } });
};

type Calls = Readonly<Record<'create' | 'get' | 'page of 100', () => Promise<unknown>>>;

/** The type of the paths for openapi-fetch, as openapi-typescript would generate it. */
interface Paths {
  '/plants': {
    post: { requestBody: { content: { 'application/json': typeof plant } }; responses: Json<object> };
    get: { responses: Json<object> };
  };
  '/plants/{id}': { get: { parameters: { path: { id: string } }; responses: Json<object> } };
}
type Json<Body> = { 200: { content: { 'application/json': Body } } };

function createCalls(): Readonly<Record<string, Calls>> {
  const client = createClient({ baseUrl, token, fetch: replyImmediately });
  const openApi = createOpenApiClient<Paths>({
    baseUrl,
    headers,
    fetch: (request) => replyImmediately(request),
  });
  const kyClient = ky.create({ prefix: baseUrl, headers, fetch: replyImmediately });
  const fetchJson = async (path: string, init: RequestInit = {}) =>
    (await replyImmediately(`${baseUrl}${path}`, { method: 'GET', headers, ...init })).json();
  return {
    'fetch and response.json()': {
      create: () => fetchJson('/plants', { method: 'POST', body: JSON.stringify(plant) }),
      get: () => fetchJson(`/plants/${plant.id}`),
      'page of 100': () => fetchJson('/plants'),
    },
    '@plant-store/client': {
      create: () => client.createPlant({ body: plant }),
      get: () => client.getPlant({ params: { id: plant.id } }),
      'page of 100': () => client.listPlants(),
    },
    [versionsOf('openapi-fetch')]: {
      create: () => openApi.POST('/plants', { body: plant }),
      get: () => openApi.GET('/plants/{id}', { params: { path: { id: `${plant.id}` } } }),
      'page of 100': () => openApi.GET('/plants'),
    },
    [versionsOf('ky')]: {
      create: () => kyClient.post('plants', { json: plant }).json(),
      get: () => kyClient.get(`plants/${plant.id}`).json(),
      'page of 100': () => kyClient.get('plants').json(),
    },
  };
}

/** Prints the cost of a call of each client without a network: CPU time in µs, and allocated memory in kB. */
export async function measureClientCalls(rounds: number): Promise<void> {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const clients = Object.entries(createCalls()).map(([title, calls]) => ({
    title,
    kinds: Object.entries(calls).map(([kind, call]) => ({
      kind,
      call,
      us: [] as number[],
      kB: [] as number[],
    })),
  }));
  for (let round = -1; round < rounds; round++) {
    for (const { kinds } of clients) {
      for (const { call, us, kB } of kinds) {
        collect();
        const before = process.memoryUsage().heapUsed;
        const started = process.cpuUsage();
        for (let count = 0; count < callsPerRound; count++) await call();
        const { user, system } = process.cpuUsage(started);
        // The first round warms up.
        if (round < 0) continue;
        us.push((user + system) / callsPerRound);
        kB.push((process.memoryUsage().heapUsed - before) / callsPerRound / 1_000);
      }
    }
  }
  const [first] = clients;
  const head = ['', ...(first?.kinds ?? []).map(({ kind }) => `${kind}, µs (kB)`)];
  const rows = clients.map(({ title, kinds }) => [
    title,
    ...kinds.map(({ us, kB }) => `${median(us).toFixed(1)} (${median(kB).toFixed(1)})`),
  ]);
  process.stdout.write(
    `${formatTable(head, rows)}\n\nCPU time and allocated memory of a call whose fetch replies immediately. Medians of ${rounds} rounds of ${callsPerRound} calls.\n`,
  );
}
