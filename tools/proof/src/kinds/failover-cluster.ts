import { type ChildProcess, execFileSync } from 'node:child_process';
import { chmodSync, chownSync, closeSync, globSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort, query } from '@plant-store/postgresql-server';
import { openPostgresqlDatabase, readPostgresqlPids, type TestBed } from '../system/databases.js';
import {
  hasEnded,
  kill,
  killGroup,
  readCommand,
  startProgram,
  succeeds,
  systemEnvironment,
  waitUntil,
} from '../system/programs.js';

/** How long each step may take. Only a step that hangs takes this long. */
const timeoutMs = 180_000;

/** How long commits are held back from the standbys before a kill. */
const holdBackMs = 500;

/** How many connections in a row HAProxy must route to the primary before the cluster counts as ready. */
const consecutiveSuccesses = 10;

/** Where Debian installs the programs of each version of PostgreSQL. */
const postgresqlFolders = '/usr/lib/postgresql/*/bin';
const programs = ['/usr/bin/patroni', '/usr/bin/etcd', '/usr/sbin/haproxy', `${postgresqlFolders}/postgres`];

/** Returns which programs of a cluster are missing on this machine, or `undefined` if none is. */
export function findMissingClusterProgram(): string | undefined {
  const missing = programs.filter((program) => globSync(program).length === 0);
  return missing.length === 0
    ? undefined
    : `It needs Debian’s postgresql, patroni, etcd-server and haproxy: there is no ${missing.join(', ')}.`;
}

/** A PostgreSQL server under Patroni, with its ports on 127.0.0.1. */
interface Node {
  readonly name: string;
  readonly port: number;
  readonly restPort: number;
  readonly dataFolder: string;
  patroni?: ChildProcess;
}

/** Runs an action with a cluster. Ends the cluster's programs afterward, even if the action fails. */
export async function withCluster(
  folder: string,
  servers: number,
  run: (cluster: Cluster) => Promise<void>,
): Promise<void> {
  const nodes: Node[] = [];
  for (const name of ['a', 'b', 'c'].slice(0, servers)) {
    const ports = { port: await findFreePort(), restPort: await findFreePort() };
    nodes.push({ name, ...ports, dataFolder: join(folder, `data-${name}`) });
  }
  const cluster = new Cluster(folder, nodes);
  const stop = () => cluster.stop();
  process.prependListener('exit', stop);
  try {
    await cluster.start();
    await run(cluster);
  } finally {
    process.off('exit', stop);
    stop();
  }
}

/** PostgreSQL servers under Patroni with etcd, behind HAProxy, configured as in deploy/high-availability. */
export class Cluster implements TestBed {
  /** The user `postgres`. The programs run as this user if this process runs as root. */
  private readonly user = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : undefined;
  private readonly running = new Map<ChildProcess, string>();
  private etcdPort = 0;
  private databaseUrl = '';
  readonly createDatabase = async () => openPostgresqlDatabase(this.databaseUrl);

  constructor(
    readonly folder: string,
    private readonly nodes: readonly Node[],
  ) {}

  async start(): Promise<void> {
    if (this.user !== undefined) chownSync(this.folder, this.user.uid, this.user.gid);
    chmodSync(this.folder, 0o755);
    const [peerPort, proxyPort] = [await findFreePort(), await findFreePort()];
    this.etcdPort = await findFreePort();
    const [url, peerUrl] = [`http://127.0.0.1:${this.etcdPort}`, `http://127.0.0.1:${peerPort}`];
    const client = ['--listen-client-urls', url, '--advertise-client-urls', url];
    const peer = ['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl];
    const members = ['--initial-cluster', `default=${peerUrl}`];
    const data = join(this.folder, 'data-etcd');
    this.run('etcd', '/usr/bin/etcd', '--data-dir', data, ...client, ...peer, ...members);
    await this.waitUntil('etcd is healthy', () => isOk(`${url}/health`));
    for (const node of this.nodes) this.startPatroni(node);
    await this.waitForStandbys();
    const file = join(this.folder, 'haproxy.cfg');
    writeFileSync(file, readHaproxyConfiguration(this.nodes, proxyPort));
    this.run('haproxy', '/usr/sbin/haproxy', '-db', '-f', file);
    const superuser = `postgresql://postgres:replace-this-password@127.0.0.1:${proxyPort}/postgres`;
    // HAProxy balances between all servers until its first health checks are done.
    let successes = 0;
    await this.waitUntil('HAProxy routes only to the primary', async () => {
      const isPrimary = await succeeds(query(superuser, 'SELECT 1 / (NOT pg_is_in_recovery())::int'));
      successes = isPrimary ? successes + 1 : 0;
      return successes === consecutiveSuccesses;
    });
    await query(superuser, "CREATE ROLE plant_store LOGIN PASSWORD 'password'");
    await query(superuser, 'CREATE DATABASE plant_store OWNER plant_store');
    this.databaseUrl = `postgresql://plant_store:password@127.0.0.1:${proxyPort}/plant_store`;
  }

  /**
   * Kills the primary, and returns its server. `machine` kills PostgreSQL and its Patroni, `postgresql` only PostgreSQL, and `patroni` only
   * Patroni, so that its PostgreSQL still considers itself the primary.
   *
   * The standbys never get the latest commits, as if these were still on the network. On one machine they would almost always arrive, even
   * without synchronous replication.
   */
  async killPrimary(killed: 'machine' | 'postgresql' | 'patroni'): Promise<Node> {
    for (const node of this.nodes) {
      if (!(await hasRole(node, 'primary'))) continue;
      this.signalWalReceivers('SIGSTOP');
      await delay(holdBackMs);
      if (node.patroni !== undefined && killed !== 'postgresql') {
        this.running.delete(node.patroni);
        killGroup(node.patroni);
      }
      if (killed !== 'patroni') for (const pid of pidsOf(node)) kill(pid, 'SIGKILL');
      // Data in the buffer of the connection is never read.
      this.signalWalReceivers('SIGTERM', 'SIGCONT');
      return node;
    }
    throw new Error('There is no primary to kill');
  }

  /** Restarts the Patroni of a server if it was killed, and waits until the server is a synchronous standby. */
  async bringBack(node: Node): Promise<void> {
    if (node.patroni === undefined || !this.running.has(node.patroni)) this.startPatroni(node);
    await this.waitForStandbys();
  }

  /**
   * Ends all programs. Ends each PostgreSQL by an immediate shutdown, which removes its shared memory, and kills it if it has not ended
   * within 10 seconds. Blocks, so that it can run while this process exits.
   */
  stop(): void {
    // Patroni first, because it would restart its PostgreSQL.
    for (const child of this.running.keys()) killGroup(child);
    for (const node of this.nodes) for (const pid of pidsOf(node).slice(0, 1)) kill(pid, 'SIGQUIT');
    const neverNotified = new Int32Array(new SharedArrayBuffer(4));
    const deadline = performance.now() + 10_000;
    while (this.nodes.flatMap(pidsOf).length > 0 && performance.now() < deadline)
      Atomics.wait(neverNotified, 0, 0, 50);
    for (const pid of this.nodes.flatMap(pidsOf)) kill(pid, 'SIGKILL');
  }

  private run(name: string, program: string, ...args: readonly string[]): ChildProcess {
    const log = openSync(this.logOf(name), 'a');
    const options = { cwd: this.folder, env: systemEnvironment, ...this.user };
    const child = startProgram(program, args, { ...options, stdio: ['ignore', log, log] });
    closeSync(log);
    this.running.set(child, name);
    return child;
  }

  private logOf(name: string): string {
    return join(this.folder, `${name}.log`);
  }

  private startPatroni(node: Node): void {
    const file = join(this.folder, `patroni-${node.name}.yml`);
    const isStrict = this.nodes.length > 2;
    writeFileSync(file, readPatroniConfiguration(node, this.etcdPort, this.folder, isStrict));
    node.patroni = this.run(`patroni-${node.name}`, '/usr/bin/patroni', file);
  }

  private waitForStandbys(): Promise<void> {
    const count = async (role: string) =>
      (await Promise.all(this.nodes.map((node) => hasRole(node, role)))).filter(Boolean).length;
    return this.waitUntil('there is a primary with its standbys', async () => {
      const counts = [await count('primary'), await count('replica'), Math.min(1, await count('sync'))];
      return counts.join() === [1, this.nodes.length - 1, 1].join();
    });
  }

  /** Waits for a condition. Rejects if a program ends without being killed. */
  private waitUntil(description: string, condition: () => Promise<boolean>): Promise<void> {
    const checkPrograms = async () => {
      for (const [child, name] of this.running)
        if (hasEnded(child))
          throw new Error(`${name} has ended:\n${readFileSync(this.logOf(name), 'utf8').slice(-2_000)}`);
      await delay(100);
      return condition();
    };
    return waitUntil(checkPrograms, description, { timeoutMs });
  }

  /** Sends signals to the processes that receive the write-ahead log of the primary. */
  private signalWalReceivers(...signals: readonly NodeJS.Signals[]): void {
    const receivers = this.nodes.flatMap(pidsOf).filter((pid) => readCommand(pid).includes('walreceiver'));
    for (const pid of receivers) for (const signal of signals) kill(pid, signal);
  }
}

function idOf(option: '-u' | '-g'): number {
  return Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
}

/** Whether Patroni reports that a server has a role. */
function hasRole({ restPort }: Node, role: string): Promise<boolean> {
  return isOk(`http://127.0.0.1:${restPort}/${role}`);
}

/** Whether a URL replies with the status 200 within 2 seconds. */
async function isOk(url: string): Promise<boolean> {
  const reply = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
  await reply?.arrayBuffer().catch(() => undefined);
  return reply?.status === 200;
}

/** Returns the processes of a server's PostgreSQL, which Patroni starts in a separate session. Empty if it does not run. */
function pidsOf({ dataFolder }: Node): readonly number[] {
  try {
    const pids = readPostgresqlPids(dataFolder);
    // The file can be left over from a server that has ended.
    return readCommand(pids[0] ?? 0).includes(dataFolder) ? pids : [];
  } catch {
    return [];
  }
}

/**
 * Returns the content of `patroni.yml` with the name, ports, and folders of a node.
 *
 * @param isStrict whether commits wait while there is no standby
 */
function readPatroniConfiguration(
  { name, port, restPort, dataFolder }: Node,
  etcdPort: number,
  socketFolder: string,
  isStrict: boolean,
): string {
  return replaceAll(read('patroni.yml'), {
    'name: a\n': `name: ${name}\n`,
    '10.0.0.1:2379,10.0.0.2:2379,10.0.0.3:2379': `127.0.0.1:${etcdPort}`,
    '10.0.0.1:8008': `127.0.0.1:${restPort}`,
    '10.0.0.1:5432': `127.0.0.1:${port}`,
    '10.0.0.0/24': '127.0.0.1/32',
    '/usr/lib/postgresql/15/bin': globSync(postgresqlFolders).toSorted().at(-1) ?? '',
    '/var/lib/postgresql/15/plants': dataFolder,
    '/var/run/postgresql': socketFolder,
    'synchronous_mode_strict: false': `synchronous_mode_strict: ${isStrict}`,
  });
}

/** Returns the content of `haproxy.cfg` with the ports of these nodes, and without other servers. */
function readHaproxyConfiguration(nodes: readonly Node[], port: number): string {
  const server = /^ +server (\w+) .*\n/gm;
  const used = read('haproxy.cfg').replace(server, (line, name) =>
    nodes.some((node) => node.name === name) ? line : '',
  );
  const servers = nodes.map((node, index) => [
    `10.0.0.${index + 1}:5432 check port 8008`,
    `127.0.0.1:${node.port} check port ${node.restPort}`,
  ]);
  return replaceAll(used, { ...Object.fromEntries(servers), '127.0.0.1:5000': `127.0.0.1:${port}` });
}

function read(file: string): string {
  return readFileSync(new URL(`../../../../deploy/high-availability/${file}`, import.meta.url), 'utf8');
}

/** @throws {Error} if a text to replace is missing, because the file has changed */
function replaceAll(text: string, replacements: Readonly<Record<string, string>>): string {
  return Object.entries(replacements).reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`deploy/high-availability: there is no "${from}"`);
    return changed.replaceAll(from, to);
  }, text);
}
