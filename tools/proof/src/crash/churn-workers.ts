import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { Tally } from '../load/tally.js';
import { type Trial, until } from '../load/trial.js';
import type { ProofContext, ProofResult } from '../proof.js';
import { readChildren } from '../service/process-tree.js';
import type { RunningService } from '../service/start-service.js';
import { compareAtEnd } from './compare-at-end.js';
import { type ServiceWithWorkers, withWorkers } from './with-workers.js';

const promise = 'Strangers that open and close connections do not stall a service with workers';

/** How many processes open and close connections, and how many each has at a time. */
const strangers = 2;
const connectionsOfEach = 512;

/** Opens connections and closes them, until the process is ended. */
const stranger = `
  const { connect } = require('node:net');
  const open = () => connect(Number(process.argv[1]), '127.0.0.1', function () { this.destroy(); }).on('error', () => {}).on('close', open);
  for (let count = 0; count < ${connectionsOfEach}; count++) open();
`;

/**
 * Compares the creates of callers with kept connections while strangers open and close connections with those without: at
 * least half as many, none slower than a second, no worker ended, and no descriptor of the primary process for a connection.
 */
export function churnWorkers(context: ProofContext): Promise<ProofResult> {
  return withWorkers(context, promise, (service) => churn(service, context));
}

async function churn({ trial, service }: ServiceWithWorkers, { amount }: ProofContext): Promise<ProofResult> {
  const seconds = { short: 2, full: 75 }[amount];
  const tally = new Tally();
  const workers = readChildren(service.pid);
  const spreads: Record<string, string> = {};
  for (const count of [16, 64, 256]) {
    spreads[`${count} connections of the workers`] = await measureSpread(service, workers, count);
  }
  const calm = await measure(trial, service, Math.min(seconds, 15));
  const ends = Array.from({ length: strangers }, () => startStranger(service.port));
  const churned = await measure(trial, service, seconds);
  await Promise.all(ends.map((end) => end()));
  if (churned.perSecond < calm.perSecond / 2)
    tally.failures.push(`${churned.perSecond} creates/s instead of ${calm.perSecond}`);
  if (churned.longestMs >= 1_000) tally.failures.push(`A create took ${churned.longestMs} ms`);
  if (churned.descriptors > calm.descriptors + 20)
    tally.failures.push(
      `The primary process had ${churned.descriptors} descriptors, not ${calm.descriptors}`,
    );
  if (readChildren(service.pid).join() !== workers.join()) tally.failures.push('A worker was ended');
  const failed = trial.ledger.missingReplies + trial.ledger.refusedConnections;
  if (failed > 0) tally.failures.push(`${failed} requests had no reply`);
  await service.killAll();
  await compareAtEnd(trial, tally);
  return tally.toResult(promise, {
    seconds,
    'creates/s before': calm.perSecond,
    'creates/s': churned.perSecond,
    'longest create in ms': churned.longestMs,
    'descriptors of the primary process before': calm.descriptors,
    'and at most': churned.descriptors,
    ...spreads,
  });
}

/** Starts a process that opens and closes connections; returns what ends it. */
function startStranger(port: number): () => Promise<void> {
  const child = spawn(process.execPath, ['-e', stranger, String(port)], { stdio: 'ignore' });
  const exit = once(child, 'exit');
  return async () => {
    child.kill('SIGKILL');
    await exit;
  };
}

/** Loads the service, and watches the descriptors of its primary process. */
async function measure(trial: Trial, service: RunningService, seconds: number) {
  const { ledger } = trial;
  const load = trial.load(service, { endsWithoutReply: false });
  await trial.acknowledgements(50, load);
  const startedAt = performance.now();
  const before = ledger.acknowledgements;
  let descriptors = 0;
  while (performance.now() - startedAt < seconds * 1_000) {
    descriptors = Math.max(descriptors, countDescriptors(service.pid));
    await delay(100);
  }
  const perSecond = ((ledger.acknowledgements - before) / (performance.now() - startedAt)) * 1_000;
  await load.stop();
  return { perSecond: Math.round(perSecond), longestMs: Math.round(load.longestReplyMs()), descriptors };
}

/** Opens connections at once, and counts those of each worker. */
async function measureSpread(
  { port }: RunningService,
  workers: readonly number[],
  count: number,
): Promise<string> {
  const before = workers.map(countDescriptors);
  const sockets: Socket[] = [];
  for (let opened = 0; opened < count; opened++) {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    socket.resume().write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n');
    sockets.push(socket);
  }
  const counts = () => workers.map((pid, index) => countDescriptors(pid) - (before[index] ?? 0));
  await until(() => counts().reduce((sum, own) => sum + own) >= count, 'all connections are accepted');
  const spread = counts().join(' and ');
  for (const socket of sockets) socket.destroy();
  await until(() => counts().every((own) => own <= 0), 'all connections are closed');
  return spread;
}

function countDescriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
