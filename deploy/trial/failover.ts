// Kills the primary of a PostgreSQL cluster under Patroni again and again while plants are created and deleted, and compares
// what is stored at the end with what was acknowledged. README.md beside this file describes it.
import { chmodSync, chownSync, globSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Cluster, type Kill, kills, startCluster } from './cluster.ts';
import { postgresqlFolders } from './configurations.ts';
import { type Load, startLoad } from './load.ts';
import { findServerUser, killAll, stopPostgresqls } from './processes.ts';
import { type Service, startService } from './service.ts';
import { until } from './wait.ts';

const programs = [
  '/usr/bin/patroni',
  '/usr/bin/etcd',
  '/usr/sbin/haproxy',
  '/usr/bin/psql',
  join(postgresqlFolders, 'postgres'),
];
const install =
  'apt-get install --no-install-recommends postgresql patroni etcd-server haproxy, with the services that they bring stopped';

/** How long the load runs with every server before each kill, in milliseconds. */
const beforeKillMs = 5_000;
/** How long a failover and the return of a server may take each, in milliseconds; only one that hangs takes this long. */
const roundMs = 180_000;

interface Round {
  readonly killed: string;
  readonly secondsWithoutService: number;
  readonly failedAttempts: number;
  readonly secondsUntilWhole: number;
}

const options = readOptions();
const ended = new AbortController();
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(name, () => ended.abort(new Error(`Stopped by ${name}`)));
}
const limit = AbortSignal.timeout(5 * 60_000 + options.kills * 2 * roundMs);
const signal = AbortSignal.any([ended.signal, limit]);
/** Ends the trial at once where waiting would not help: a program has ended, or the load is rejected. */
const onFailure = (error: Error) => ended.abort(error);
// The servers read their configurations as another user.
process.umask(0o022);
const user = findServerUser();
const folder = mkdtempSync(join(tmpdir(), 'plant-store-failover-'));
if (user !== undefined) chownSync(folder, user.uid, user.gid);
chmodSync(folder, 0o755);
let hasPassed = false;
process.on('exit', cleanUp);
try {
  console.error(`Starting ${options.servers} PostgreSQL servers in ${folder}`);
  const cluster = await startCluster({ folder, servers: options.servers, user, signal, onFailure });
  const service = await startService({ folder, databaseUrl: cluster.databaseUrl, signal, onFailure });
  const load = startLoad({ ...service, connections: options.connections, signal, onFailure });
  const rounds: Round[] = [];
  for (let count = 1; count <= options.kills; count++) {
    rounds.push(await runRound(cluster, load, options.kill));
    console.error(`kill ${count}: ${JSON.stringify(rounds.at(-1))}`);
  }
  await load.stop();
  signal.throwIfAborted();
  hasPassed = report(rounds, load, service);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
}
process.exit(hasPassed ? 0 : 1);

/** Reads the options of the command; ends the process with 2 if one is invalid. */
function readOptions() {
  const values = parseOptions();
  const kill = kills.find((name) => name === values.kill);
  if (kill === undefined) {
    console.error(`--kill must be ${kills.join(' or ')}`);
    process.exit(2);
  }
  const read = (name: 'kills' | 'servers' | 'connections', min: number, max: number) => {
    const number = Number(values[name]);
    if (Number.isInteger(number) && number >= min && number <= max) return number;
    console.error(`--${name} must be an integer from ${min} to ${max}`);
    process.exit(2);
  };
  const missing = programs.filter((program) => globSync(program).length === 0);
  if (missing.length > 0) {
    console.error(`There is no ${missing.join(', ')}. Install them: ${install}`);
    process.exit(2);
  }
  return {
    kill,
    kills: read('kills', 1, 100),
    servers: read('servers', 2, 3),
    connections: read('connections', 1, 200),
  };
}

function parseOptions() {
  const text = (value: string) => ({ type: 'string', default: value }) as const;
  try {
    const options = {
      kills: text('5'),
      servers: text('2'),
      connections: text('16'),
      kill: text('machine'),
    };
    return parseArgs({ options }).values;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(2);
  }
}

/** Kills the primary, waits until plants are stored again, brings the server back and waits until it is a standby. */
async function runRound(cluster: Cluster, load: Load, what: Kill): Promise<Round> {
  await delay(beforeKillMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  const failuresBefore = load.countFailures();
  const killedAt = performance.now();
  const killed = await cluster.killPrimary(what);
  const isServing = () =>
    load.longestGapSince(killedAt) > 1_000 && performance.now() - load.lastAcknowledgedAt() < 1_000;
  await until('a create acknowledged after the kill', isServing, { timeoutMs: roundMs, signal });
  const failedAttempts = load.countFailures() - failuresBefore;
  const gap = load.longestGapSince(killedAt);
  const broughtBackAt = performance.now();
  cluster.bringBack(killed);
  await cluster.untilWhole();
  return {
    killed,
    secondsWithoutService: gap / 1_000,
    failedAttempts,
    secondsUntilWhole: (performance.now() - broughtBackAt) / 1_000,
  };
}

/** Prints the table, and compares what is stored with what was acknowledged; returns whether all is well. */
function report(rounds: readonly Round[], load: Load, service: Service): boolean {
  const stored = service.exportPlants();
  const { acknowledged, deleted } = load;
  const lost = [...acknowledged].filter(([id, name]) => !deleted.has(id) && stored.get(id) !== name);
  const lostDeletes = [...deleted].filter((id) => stored.get(id) !== null);
  const unknown = [...stored.keys()].filter((id) => !acknowledged.has(id));
  console.log(
    '| kill | server | seconds without service | failed attempts | seconds until it is a standby again |',
  );
  console.log('|---:|---|---:|---:|---:|');
  for (const [index, round] of rounds.entries()) {
    const { killed, secondsWithoutService, failedAttempts, secondsUntilWhole } = round;
    const [without, whole] = [secondsWithoutService.toFixed(1), secondsUntilWhole.toFixed(1)];
    console.log(`| ${index + 1} | ${killed} | ${without} | ${failedAttempts} | ${whole} |`);
  }
  console.log(
    `\n${acknowledged.size} plants acknowledged, ${deleted.size} of them deleted again: ${lost.length} lost, ${lostDeletes.length} not deleted, ${unknown.length} stored without a 200`,
  );
  console.log(`Plant Store ran all the time (process ${service.pid})`);
  if (lost.length > 0) console.error(`Lost: ${lost.slice(0, 20).map(([id]) => id)}`);
  if (lostDeletes.length > 0) console.error(`Not deleted: ${lostDeletes.slice(0, 20)}`);
  return lost.length === 0 && lostDeletes.length === 0 && unknown.length === 0;
}

/** Kills everything and removes the folder; of a trial that failed, its logs stay there. */
function cleanUp(): void {
  // Patroni first, which would start its PostgreSQL again.
  killAll();
  stopPostgresqls(readdirSync(folder).map((name) => join(folder, name)));
  const remove = (path: string) => rmSync(path, { recursive: true, force: true, maxRetries: 10 });
  for (const name of readdirSync(folder)) {
    if (hasPassed || !name.endsWith('.log')) remove(join(folder, name));
  }
  if (hasPassed) remove(folder);
  else console.error(`The logs are in ${folder}`);
}
