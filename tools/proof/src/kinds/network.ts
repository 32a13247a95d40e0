import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createDatabase } from '@plant-store/postgresql-server';
import { type Kind, trialsOf } from '../load/kind.js';
import type { Random } from '../load/random.js';
import type { Proof } from '../proof.js';
import { openPostgresqlDatabase, type TestBed, withFolder } from '../system/databases.js';
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

/** How long the service may take until it stores records again. Most of this is slack for a slow machine. */
const recoveryLimitMs = 15_000;

/** Addresses reserved for network benchmarks (RFC 2544, appendix C.2.2), which no other network uses. */
const serviceAddress = '198.18.77.1';
const databaseAddress = '198.18.77.2';

/** The network namespace of the database. */
const namespace = `plant-store-proof-${process.pid}`;

/** The network device at the service's end of the link, outside the namespace. */
const serviceDevice = `pss${process.pid}`;

/** The network device at the database's end of the link, inside the namespace. */
const databaseDevice = `psd${process.pid}`;

const ip = (...args: readonly string[]) => runSystemProgram('ip', ...args);

/**
 * Impairs the packets in one or both directions with tc-netem(8). Each end of the link impairs the packets that it sends.
 *
 * @param impairment such as `loss 100%`. An empty string impairs nothing
 */
async function impair(impairment: string, direction: 'both' | 'to database' | 'from database' = 'both') {
  const netem = ['root', 'netem', ...impairment.split(' ').filter(Boolean)];
  if (direction !== 'from database')
    await runSystemProgram('tc', 'qdisc', 'replace', 'dev', serviceDevice, ...netem);
  if (direction !== 'to database')
    await runSystemProgram('tc', '-netns', namespace, 'qdisc', 'replace', 'dev', databaseDevice, ...netem);
}

/**
 * Delays, loses, duplicates, and reorders packets between the service and PostgreSQL, and cuts the link in one or both directions.
 */
const cutNetwork: Kind = {
  name: 'network',
  promise: 'A 200 survives a network failure, and the service replies in time and recovers automatically',
  short: 3,
  full: 50,
  settings: { DATABASE_STATEMENT_TIMEOUT_MS: String(statementTimeoutMs) },
  findMissingRequirement,
  withTestBed: (run) => withFolder((folder) => withNetwork(folder, run)),
  async injectFault({ trial, tally }) {
    const { random, ledger } = trial;
    const service = await trial.runningService();
    await impair(chooseImpairment(random));
    const load = await trial.startLoad({ replyTimeoutMs, pauseMs: 5 }, 20 + random.below(100));
    await impair('loss 100%', random.pick(['both', 'to database', 'from database']));
    await delay(random.below(2 * (statementTimeoutMs + 1_000)));
    await impair('');
    const recoveredAt = performance.now();
    // More than the number of connections, so that at least one was sent after the link recovered.
    await trial.waitForAcknowledgements(32, load);
    const recoveryMs = performance.now() - recoveredAt;
    await load.stop();
    tally.max('longest time from the repair of the link to a 200 in ms', recoveryMs);
    tally.max('longest reply in ms', load.longestReplyMs());
    tally.max('rejected with 503', ledger.unavailable);
    if (recoveryMs > recoveryLimitMs) tally.fail(`Nothing was stored for ${recoveryMs} ms`);
    if (ledger.missingReplies > 0) tally.fail(`${ledger.missingReplies} requests had no reply`);
    if (service.hasEnded()) tally.fail(`The service ended:\n${service.readLog().slice(-2_000)}`);
  },
};

export const network: Proof = [trialsOf(cutNetwork)];

function chooseImpairment(random: Random): string {
  const percentBelow = (limit: number) => `${(random.next() * limit).toFixed(2)}%`;
  const delays = `delay ${1 + random.below(10)}ms ${random.below(10)}ms`;
  return `${delays} loss ${percentBelow(3)} duplicate ${percentBelow(5)} reorder ${percentBelow(5)}`;
}

async function findMissingRequirement(): Promise<string | undefined> {
  const missing = await findMissingProgram('ip', 'tc', 'nsenter');
  if (missing !== undefined) return missing;
  try {
    if (!(await succeeds(createLink()))) return 'It needs permission to create network namespaces.';
    if (!(await succeeds(impair(''))))
      return 'It needs the kernel module sch_netem, which this Linux does not have.';
    return undefined;
  } finally {
    removeLink();
  }
}

async function createLink(): Promise<void> {
  await ip('netns', 'add', namespace);
  const peer = ['peer', 'name', databaseDevice, 'netns', namespace];
  await ip('link', 'add', serviceDevice, 'type', 'veth', ...peer);
  await ip('address', 'add', `${serviceAddress}/30`, 'dev', serviceDevice);
  await ip('-netns', namespace, 'address', 'add', `${databaseAddress}/30`, 'dev', databaseDevice);
  await ip('link', 'set', serviceDevice, 'up');
  for (const device of ['lo', databaseDevice]) await ip('-netns', namespace, 'link', 'set', device, 'up');
}

/** Removes the namespace, which also removes both ends of the link. */
function removeLink(): void {
  spawnSync('ip', ['netns', 'delete', namespace], { env: systemEnvironment, stdio: 'ignore' });
}

/** Runs an action with a PostgreSQL server behind a link. Removes both afterward, even if the action fails. */
async function withNetwork(folder: string, run: (testBed: TestBed) => Promise<void>): Promise<void> {
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
    await run({ folder, createDatabase: async () => openPostgresqlDatabase(await createDatabase(url)) });
  } finally {
    child.kill();
    await processEnd(child);
    removeLink();
    process.off('exit', removeLink);
  }
}
