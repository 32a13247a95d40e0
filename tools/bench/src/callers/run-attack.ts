import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { createIds, smallestId } from '../load/write-ids.js';
import { type Attack, attacks } from './attacks.js';
import { type AttackResult, type AttackRun, AttackRunSchema } from './caller-load.js';
import { createReplyReader } from './read-replies.js';

/** How often a connection whose replies are not read finds out whether it is still open, and how long a refused one waits. */
const probeMs = 1_000;
const refusedMs = 100;

/** A separate program: takes an `AttackRun` as JSON on its command line, prints an `AttackResult` as JSON. */
const run = AttackRunSchema.parse(JSON.parse(process.argv[2] ?? ''));
const attack = attacks[run.name];
if (attack === undefined) throw new Error(`no attack ${run.name}`);
process.stdout.write(JSON.stringify(await runAttack(attack, run)));
process.exit();

async function runAttack(attack: Attack, run: AttackRun): Promise<AttackResult> {
  const outcomes: Record<string, number> = {};
  const count = (outcome: string) => {
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  };
  const path = await choosePath(attack, run);
  const nextId = attack.ids === 'stored' ? createStoredIds(run.plants) : createIds('random');
  const composed = composeRequests(attack, path, run);
  for (let index = 0; index < attack.connections; index++) {
    if (attack.ids === undefined) keepConnected(attack, composed, () => undefined, count);
    else {
      const requests = Buffer.from(composed);
      keepConnected(attack, requests, replaceIds(requests, nextId), count);
    }
  }
  const cpuAtStart = process.cpuUsage();
  const startedAtMs = performance.now();
  await delay(run.seconds * 1000);
  const { user, system } = process.cpuUsage(cpuAtStart);
  return { outcomes, cores: (user + system) / 1000 / (performance.now() - startedAtMs) };
}

/** Opens a connection, sends on it what the attack sends, and opens another when it has ended. */
function keepConnected(
  { manner, pipelined = 1 }: Attack,
  requests: Buffer,
  renew: () => void,
  count: (outcome: string) => void,
): void {
  let unanswered = 0;
  const send = (socket: Socket) => {
    renew();
    unanswered = pipelined;
    socket.write(requests, () => manner === 'close' && socket.destroy());
  };
  const open = () => {
    const socket = connect(Number(new URL(run.baseUrl).port), '127.0.0.1', () => send(socket));
    socket.setNoDelay(true);
    let ended = 'closed';
    socket.on('error', (error: NodeJS.ErrnoException) => {
      ended = error.code ?? error.message;
    });
    let probe: NodeJS.Timeout | undefined;
    if (manner === 'unread') {
      socket.pause();
      // A line break before a request is ignored, and fails once the service has closed the connection.
      probe = setInterval(() => socket.write('\r\n'), probeMs);
    } else {
      const read = createReplyReader((status) => {
        count(String(status));
        if (typeof manner === 'object') socket.destroy();
        else if (--unanswered === 0) send(socket);
      });
      socket.on('data', read);
    }
    socket.once('close', () => {
      clearInterval(probe);
      count(ended);
      setTimeout(open, ended === 'ECONNREFUSED' ? refusedMs : 0);
    });
  };
  open();
}

/** What is sent at once on a connection: a request, or several. */
function composeRequests(
  { method, body, manner, pipelined = 1 }: Attack,
  path: string,
  { baseUrl, token }: AttackRun,
): Buffer {
  const content = body?.();
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${new URL(baseUrl).host}`,
    `Authorization: Bearer ${token}`,
    ...(content ? ['Content-Type: application/json', `Content-Length: ${content.length}`] : []),
    '',
    (typeof manner === 'object' ? content?.slice(0, manner.bytesOfBody) : content) ?? '',
  ];
  return Buffer.from(lines.join('\r\n').repeat(pipelined), 'latin1');
}

/** The path, or the shorter one if it is answered 400; one that takes long is accepted. */
async function choosePath({ path, shorterPath }: Attack, { baseUrl, token }: AttackRun): Promise<string> {
  if (shorterPath === undefined) return path;
  const headers = { authorization: `Bearer ${token}` };
  const reply = await fetch(`${baseUrl}${path}`, { headers, signal: AbortSignal.timeout(2_000) }).catch(
    () => undefined,
  );
  return reply?.status === 400 ? shorterPath : path;
}

/** Finds the places of the id in requests, and returns what writes other ids there. */
function replaceIds(requests: Buffer, nextId: () => number): () => void {
  const places: number[] = [];
  const digits = String(smallestId);
  for (let at = requests.indexOf(digits); at !== -1; at = requests.indexOf(digits, at + 1)) places.push(at);
  return () => {
    for (const place of places) requests.write(String(nextId()), place, 'latin1');
  };
}

/** The ids of the stored plants, from the smallest on, and again. */
function createStoredIds(plants: number): () => number {
  let next = 0;
  return () => smallestId + (next++ % plants);
}
