import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type Attack, type AttackOrder, attacks, path, resource, searched } from './attack-worker.js';
import type { Compared } from './compare.js';
import { describeMachine, machineLine } from './machine.js';
import { log } from './measure-targets.js';
import { formatCount, formatTable } from './report.js';
import { exampleOf } from './resource.js';
import { type RunningTarget, startTarget } from './start-target.js';
import { plantStore } from './targets.js';

/** The promises of `docs/SECURITY.md`: the memory of all processes, in MiB, and the remaining rate of other callers. */
const maxMemory = { oneProcess: 512, withWorkers: 768 };
const leastRate = 0.5;

/** The scopes of the token that stores the records, and creates the tokens of other callers. */
const scopes = ['create', 'read', 'delete', 'admin'];

const records = 99_999;
const others = 4;
/** How long other callers pause after each reply, in milliseconds. */
const pauseMs = 20;
const memoryPollMs = 100;

/** The measurements during an attack. */
interface Result {
  readonly title: string;
  /** The rates as fractions of those before the attack. */
  readonly creates: number;
  readonly lists: number;
  readonly memoryMiB: number;
  /** How many requests of others were rejected, or failed. */
  readonly rejected: number;
  /** The rates before it. */
  readonly before: Rates;
}

interface Rates {
  readonly creates: number;
  readonly lists: number;
  readonly rejected: number;
}

/**
 * Attacks a new service in each way with one token, and prints the remaining rates of creates and lists with other tokens, and the peak
 * memory of the service.
 *
 * @returns whether all bounds hold
 */
export async function measureAttacks(
  { engine, folder, settings: { seconds } }: Pick<Compared, 'engine' | 'folder' | 'settings'>,
  { workers, only }: { readonly workers: number; readonly only: readonly string[] | undefined },
): Promise<boolean> {
  const machine = describeMachine(folder);
  const chosen = attacks.filter(({ title }) => only?.some((part) => title.includes(part)) ?? true);
  const results: Result[] = [];
  for (const [index, attack] of chosen.entries()) {
    const own = join(folder, String(index));
    mkdirSync(own);
    const database = await engine.createDatabase(own);
    const settings = { WORKERS: String(workers), LOG_REQUESTS: 'errors' };
    const service = await startTarget(plantStore({ settings, can: scopes }), database.url, own);
    const result = await measure(attack, service, seconds).finally(service.stop);
    results.push(result);
    log(`${attack.title}: creates ${result.creates.toFixed(2)}, lists ${result.lists.toFixed(2)}`);
  }
  const memoryBound = workers > 1 ? maxMemory.withWorkers : maxMemory.oneProcess;
  const isBroken = ({ creates, lists, memoryMiB, rejected }: Result) =>
    !(creates >= leastRate && lists >= leastRate && memoryMiB < memoryBound && rejected === 0);
  const rows = results.map((result) => [
    `${result.title}${isBroken(result) ? ' **broken**' : ''}`,
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
      `${seconds} s each, ${engine.title}, WORKERS=${workers}. Bounds: ${leastRate} of each rate, ${memoryBound} MiB, none ` +
      `rejected. ${machineLine(machine)}\n`,
  );
  return !results.some(isBroken);
}

async function measure(attack: Attack, service: RunningTarget, seconds: number): Promise<Result> {
  await store(service, attack.records ?? []);
  const token = await createToken(service, attack.scope ?? 'read');
  const load = await startOthers(service);
  await delay(1_000);
  load.count();
  await delay(Math.max(1, seconds / 4) * 1_000);
  const before = load.count();
  const order: AttackOrder = { title: attack.title, port: Number(new URL(service.baseUrl).port), token };
  const worker = new Worker(new URL('./attack-worker.js', import.meta.url), { workerData: order });
  const failed = new Promise<never>((_, reject) => worker.once('error', reject));
  let memory = 0;
  const poll = setInterval(() => {
    memory = Math.max(memory, service.readMemory());
  }, memoryPollMs);
  try {
    await Promise.race([delay(seconds * 1_000), failed]);
    const { creates, lists, rejected } = load.count();
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

/** Stores many records, the records of the attack last. */
async function store(service: Service, own: readonly object[]): Promise<void> {
  const size = 1_000;
  for (let first = 1; first <= records; first += size) {
    const batch = Array.from({ length: Math.min(size, records + 1 - first) }, (_, index) =>
      exampleOf(resource, first + index, { [searched]: `Monstera deliciosa number ${first + index}` }),
    );
    await expectOk(send(service, 'POST', `${path}/batch`, { [resource.plural]: batch }));
  }
  for (const [index, fields] of own.entries())
    await expectOk(send(service, 'POST', path, exampleOf(resource, records + 1 + index, fields)));
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

/** Starts requests of other callers: for each token, one create and one list at a time. */
async function startOthers(service: RunningTarget) {
  const tokens: { read: string; create: string }[] = [];
  for (let other = 0; other < others; other++)
    tokens.push({ read: await createToken(service, 'read'), create: await createToken(service, 'create') });
  let counts = { creates: 0, lists: 0, rejected: 0 };
  let sinceMs = performance.now();
  let isOn = true;
  let id = 1e12;
  async function sendAgain(kind: 'creates' | 'lists', sendOne: () => ReturnType<typeof send>): Promise<void> {
    while (isOn) {
      const status = await sendOne().then(
        (reply) => reply.status,
        () => 0,
      );
      if (status === 200) counts[kind]++;
      else if (isOn) counts.rejected++;
      await delay(pauseMs);
    }
  }
  const running = tokens.flatMap(({ read, create }) => [
    sendAgain('creates', () => send({ ...service, token: create }, 'POST', path, exampleOf(resource, id++))),
    sendAgain('lists', () => send({ ...service, token: read }, 'GET', `${path}?limit=10`)),
  ]);
  return {
    /** The rates since the last call, in a second, and how many were rejected. */
    count(): Rates {
      const seconds = (performance.now() - sinceMs) / 1_000;
      const { creates, lists, rejected } = counts;
      counts = { creates: 0, lists: 0, rejected: 0 };
      sinceMs = performance.now();
      return { creates: creates / seconds, lists: lists / seconds, rejected };
    },
    async stop(): Promise<void> {
      isOn = false;
      await Promise.all(running);
    },
  };
}
