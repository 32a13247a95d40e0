import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createDatabase } from '@plant-store/postgresql-server';
import { type Kind, trialsOf } from '../load/kind.js';
import type { Random } from '../load/random.js';
import type { Proof } from '../proof.js';
import { openPostgresqlDatabase, type Place, withFolder } from '../system/databases.js';
import {
  findMissingProgram,
  processEnd,
  runSystemProgram,
  startProgram,
  succeeds,
  systemEnvironment,
} from '../system/programs.js';

const statementTimeoutMs = 1_000;
/** The statement timeout, a second for the reply, and slack for a slow machine. */
const replyTimeoutMs = statementTimeoutMs + 1_000 + 10_000;
/** How long the service may take to store records again. Most of it is slack for a slow machine. */
const recoveryLimitMs = 15_000;

/** Addresses reserved for network benchmarks (RFC 2544, appendix C.2.2), which no other network uses. */
const serviceAddress = '198.18.77.1';
const databaseAddress = '198.18.77.2';

/** The names of a network namespace, and of the two ends of the link to it; the end of the database is inside. */
const namespace = `plant-store-proof-${process.pid}`;
const serviceEnd = `pss${process.pid}`;
const databaseEnd = `psd${process.pid}`;

const ip = (...args: readonly string[]) => runSystemProgram('ip', ...args);

/**
 * Impairs the packets in one or both directions with tc-netem(8). Each end of the link impairs what it sends.
 *
 * @param impairment such as `loss 100%`; an empty one drops nothing
 */
async function impair(impairment: string, direction: 'both' | 'to database' | 'from database' = 'both') {
  const netem = ['root', 'netem', ...impairment.split(' ').filter(Boolean)];
  if (direction !== 'from database')
    await runSystemProgram('tc', 'qdisc', 'replace', 'dev', serviceEnd, ...netem);
  if (direction !== 'to database')
    await runSystemProgram('tc', '-netns', namespace, 'qdisc', 'replace', 'dev', databaseEnd, ...netem);
}

/**
 * Delays, loses, duplicates and reorders packets between the service and PostgreSQL, and cuts the link, in one direction or
 * both.
 */
const cutNetwork: Kind = {
  name: 'network',
  promise: 'A 200 survives a network that fails, and the service answers in time and recovers by itself',
  short: 3,
  full: 50,
  settings: { DATABASE_STATEMENT_TIMEOUT_MS: String(statementTimeoutMs) },
  findObstacle,
  withPlace: (trial) => withFolder((folder) => withNetwork(folder, trial)),
  async breakOnce({ trial, tally }) {
    const { random, ledger } = trial;
    const service = await trial.service();
    const weather = chooseWeather(random);
    await impair(weather);
    const load = await trial.load({ replyTimeoutMs, pauseMs: 5 }, 20 + random.below(100));
    await impair('loss 100%', random.pick(['both', 'to database', 'from database']));
    await delay(random.below(2 * (statementTimeoutMs + 1_000)));
    await impair('');
    const healedAt = performance.now();
    // More than there are connections, so that at least one was sent after the change.
    await trial.acknowledgements(32, load);
    const recoveryMs = performance.now() - healedAt;
    await load.stop();
    tally.max('longest time from healing to a 200 in ms', recoveryMs);
    tally.max('longest reply in ms', load.longestReplyMs());
    tally.max('rejected with 503', ledger.unavailable);
    if (recoveryMs > recoveryLimitMs) tally.fail(`Nothing was stored for ${recoveryMs} ms`);
    if (ledger.missingReplies > 0) tally.fail(`${ledger.missingReplies} requests had no reply`);
    if (service.hasEnded()) tally.fail(`The service ended:\n${service.readLog().slice(-2_000)}`);
  },
};

export const network: Proof = [trialsOf(cutNetwork)];

function chooseWeather(random: Random): string {
  const percent = (most: number) => `${(random.next() * most).toFixed(2)}%`;
  const delays = `delay ${1 + random.below(10)}ms ${random.below(10)}ms`;
  return `${delays} loss ${percent(3)} duplicate ${percent(5)} reorder ${percent(5)}`;
}

async function findObstacle(): Promise<string | undefined> {
  const missing = await findMissingProgram('ip', 'tc', 'nsenter');
  if (missing !== undefined) return missing;
  try {
    if (!(await succeeds(createLink()))) return 'It needs the right to create network namespaces.';
    if (!(await succeeds(impair(''))))
      return 'It needs the kernel module sch_netem, which this Linux does not have.';
    return undefined;
  } finally {
    removeLink();
  }
}

async function createLink(): Promise<void> {
  await ip('netns', 'add', namespace);
  const peer = ['peer', 'name', databaseEnd, 'netns', namespace];
  await ip('link', 'add', serviceEnd, 'type', 'veth', ...peer);
  await ip('address', 'add', `${serviceAddress}/30`, 'dev', serviceEnd);
  await ip('-netns', namespace, 'address', 'add', `${databaseAddress}/30`, 'dev', databaseEnd);
  await ip('link', 'set', serviceEnd, 'up');
  for (const device of ['lo', databaseEnd]) await ip('-netns', namespace, 'link', 'set', device, 'up');
}

/** Removes the namespace, and both ends of the link with it. */
function removeLink(): void {
  spawnSync('ip', ['netns', 'delete', namespace], { env: systemEnvironment, stdio: 'ignore' });
}

/** Runs a trial with a PostgreSQL behind a link, and removes everything afterwards, however the trial ends. */
async function withNetwork(folder: string, trial: (place: Place) => Promise<void>): Promise<void> {
  const program = fileURLToPath(new URL('../../dist/kinds/network-server.js', import.meta.url));
  process.on('exit', removeLink);
  await createLink();
  // Unlike `ip netns exec`, this does not copy the mounts, which would keep other file systems mounted.
  const command = [`--net=/run/netns/${namespace}`, process.execPath, program];
  const child = startProgram('nsenter', [...command, join(folder, 'postgresql'), databaseAddress], {
    env: { ...systemEnvironment, HOME: '/tmp' },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  try {
    const [message] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
    const { url } = message ?? {};
    if (typeof url !== 'string') throw new Error('PostgreSQL did not start in the network namespace');
    const createNext = async () => openPostgresqlDatabase(await createDatabase(url));
    await trial({ folder, createDatabase: createNext });
  } finally {
    child.kill();
    await processEnd(child);
    removeLink();
    process.off('exit', removeLink);
  }
}
