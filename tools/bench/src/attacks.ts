import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type Attack, attacks, resource, resourcePath, searchField, storedRecords } from './attack-list.js';
import type { AttackWorkerData } from './attack-worker.js';
import type { ComparisonOptions } from './compare.js';
import { describeMachine, machineLine } from './machine.js';
import { log } from './measure-targets.js';
import { formatCount, formatTable } from './report.js';
import { exampleOf } from './resource.js';
import { type RunningTarget, startTarget } from './start-target.js';
import { plantStore } from './targets.js';

// The limits that `docs/SECURITY.md` states.

/** The maximum memory of all processes, in MiB. */
const maxMemory = { oneProcess: 512, withWorkers: 768 };

/** The minimum rate of other callers during an attack, as a fraction of their rate before the attack. */
const minRate = 0.5;

/** The scopes of the token that stores the records and creates the tokens of other callers. */
const scopes = ['create', 'read', 'delete', 'admin'];

/** The number of other callers. */
const otherCallers = 4;

/** How long other callers pause after each reply. */
const pauseMs = 20;

const memoryPollMs = 100;

/** The measurements during an attack. */
interface Result {
  readonly title: string;
  /** The rates as fractions of those before the attack. */
  readonly creates: number;
  readonly lists: number;
  readonly memoryMiB: number;
  /** How many requests of other callers were rejected or failed. */
  readonly rejected: number;
  /** The rates before the attack. */
  readonly before: Rates;
}

/** Requests per second of all other callers. */
interface Rates {
  readonly creates: number;
  readonly lists: number;
  /** How many requests were rejected or failed. */
  readonly rejected: number;
}

/**
 * Runs each attack on a new service. Prints the remaining rates of creates and lists with other tokens, and the peak memory of the service.
 *
 * @returns whether all results are within the limits
 */
export async function measureAttacks(
  { engine, folder, settings: { seconds } }: Pick<ComparisonOptions, 'engine' | 'folder' | 'settings'>,
  { workers, only }: { readonly workers: number; readonly only: readonly string[] | undefined },
): Promise<boolean> {
  const machine = describeMachine(folder);
  const selected = attacks.filter(({ title }) => only?.some((part) => title.includes(part)) ?? true);
  const results: Result[] = [];
  for (const [index, attack] of selected.entries()) {
    const attackFolder = join(folder, String(index));
    mkdirSync(attackFolder);
    const database = await engine.createDatabase(attackFolder);
    const settings = { WORKERS: String(workers), LOG_REQUESTS: 'errors' };
    const service = await startTarget(plantStore({ settings, can: scopes }), database.url, attackFolder);
    const result = await measure(attack, service, seconds).finally(service.stop);
    results.push(result);
    log(`${attack.title}: creates ${result.creates.toFixed(2)}, lists ${result.lists.toFixed(2)}`);
  }
  const memoryBound = workers > 1 ? maxMemory.withWorkers : maxMemory.oneProcess;
  const exceedsBounds = ({ creates, lists, memoryMiB, rejected }: Result) =>
    !(creates >= minRate && lists >= minRate && memoryMiB < memoryBound && rejected === 0);
  const rows = results.map((result) => [
    `${result.title}${exceedsBounds(result) ? ' **out of bounds**' : ''}`,
    ...[result.creates, result.lists].map((part) => part.toFixed(2)),
    ...[result.memoryMiB, result.rejected, result.before.creates, result.before.lists].map(formatCount),
  ]);
  const head = [
    'attack',
    'creates of others',
    'lists of others',
    'memory, MiB',
    'rejected',
    'creates/s before',
    'lists/s before',
  ];
  process.stdout.write(
    `${formatTable(head, rows)}\n\n` +
      `${seconds} s each, ${engine.title}, WORKERS=${workers}. Bounds: ${minRate} of each rate, ${memoryBound} MiB, none ` +
      `rejected. ${machineLine(machine)}\n`,
  );
  return !results.some(exceedsBounds);
}

async function measure(attack: Attack, service: RunningTarget, seconds: number): Promise<Result> {
  await store(service, attack.records ?? []);
  const token = await createToken(service, attack.scope ?? 'read');
  const load = await startOtherCallers(service);
  await delay(1_000);
  // Discards the rates of the warm-up.
  load.takeRates();
  await delay(Math.max(1, seconds / 4) * 1_000);
  const before = load.takeRates();
  const workerData: AttackWorkerData = {
    title: attack.title,
    port: Number(new URL(service.baseUrl).port),
    token,
  };
  const worker = new Worker(new URL('./attack-worker.js', import.meta.url), { workerData });
  const failed = new Promise<never>((_, reject) => worker.once('error', reject));
  let memory = 0;
  const poll = setInterval(() => {
    memory = Math.max(memory, service.readMemory());
  }, memoryPollMs);
  try {
    await Promise.race([delay(seconds * 1_000), failed]);
    const { creates, lists, rejected } = load.takeRates();
    return {
      title: attack.title,
      before,
      rejected,
      memoryMiB: memory / 2 ** 20,
      creates: creates / before.creates,
      lists: lists / before.lists,
    };
  } finally {
    clearInterval(poll);
    await worker.terminate();
    await load.stop();
  }
}

type Service = Pick<RunningTarget, 'baseUrl' | 'token'>;

async function send({ baseUrl, token }: Service, method: string, path: string, body?: object) {
  const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) };
  const reply = await fetch(`${baseUrl}${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: reply.status, text: await reply.text() };
}

/** Stores `storedRecords` records, and then the attack's records. */
async function store(service: Service, attackRecords: readonly object[]): Promise<void> {
  const batchSize = 1_000;
  for (let first = 1; first <= storedRecords; first += batchSize) {
    const batch = Array.from({ length: Math.min(batchSize, storedRecords + 1 - first) }, (_, index) =>
      exampleOf(resource, first + index, { [searchField]: `Monstera deliciosa number ${first + index}` }),
    );
    await expectOk(send(service, 'POST', `${resourcePath}/batch`, { [resource.plural]: batch }));
  }
  for (const [index, fields] of attackRecords.entries())
    await expectOk(
      send(service, 'POST', resourcePath, exampleOf(resource, storedRecords + 1 + index, fields)),
    );
}

async function expectOk(reply: ReturnType<typeof send>): Promise<string> {
  const { status, text } = await reply;
  if (status !== 200) throw new Error(`The service answered ${status}: ${text}`);
  return text;
}

async function createToken(service: Service, scope: string): Promise<string> {
  const text = await expectOk(send(service, 'POST', '/tokens', { name: scope, scopes: [scope] }));
  return JSON.parse(text).secret;
}

/** The first ID that other callers create, far from the IDs of the attacks. */
const firstId = 1e12;

/** Starts the requests of other callers. Each sends one create and one list at a time. */
async function startOtherCallers(service: RunningTarget) {
  const tokens: { read: string; create: string }[] = [];
  for (let caller = 0; caller < otherCallers; caller++)
    tokens.push({ read: await createToken(service, 'read'), create: await createToken(service, 'create') });
  let counts = { creates: 0, lists: 0, rejected: 0 };
  let sinceMs = performance.now();
  let isRunning = true;
  let id = firstId;
  async function sendRepeatedly(
    kind: 'creates' | 'lists',
    sendOne: () => ReturnType<typeof send>,
  ): Promise<void> {
    while (isRunning) {
      const status = await sendOne().then(
        (reply) => reply.status,
        () => 0,
      );
      if (status === 200) counts[kind]++;
      else if (isRunning) counts.rejected++;
      await delay(pauseMs);
    }
  }
  const running = tokens.flatMap(({ read, create }) => [
    sendRepeatedly('creates', () =>
      send({ ...service, token: create }, 'POST', resourcePath, exampleOf(resource, id++)),
    ),
    sendRepeatedly('lists', () => send({ ...service, token: read }, 'GET', `${resourcePath}?limit=10`)),
  ]);
  return {
    /** Returns the rates per second and the number of rejected requests since the last call, and starts over. */
    takeRates(): Rates {
      const seconds = (performance.now() - sinceMs) / 1_000;
      const { creates, lists, rejected } = counts;
      counts = { creates: 0, lists: 0, rejected: 0 };
      sinceMs = performance.now();
      return { creates: creates / seconds, lists: lists / seconds, rejected };
    },
    async stop(): Promise<void> {
      isRunning = false;
      await Promise.all(running);
    },
  };
}
