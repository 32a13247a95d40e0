import { type ChildProcess, execFileSync } from 'node:child_process';
import { chmodSync, chownSync, closeSync, globSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort, query } from '@plant-store/postgresql-server';
import { openPostgresqlDatabase, type Place, readPostgresqlPids } from '../system/databases.js';
import {
  hasEnded,
  kill,
  killGroup,
  readCommand,
  startProgram,
  succeeds,
  systemEnvironment,
  until,
} from '../system/programs.js';

/** How long each step may take, in milliseconds. Only a step that hangs takes this long. */
const timeoutMs = 180_000;
/** How long commits are held back from the standbys before a kill, in milliseconds. */
const holdBackMs = 500;

/** Where Debian installs the programs of each version of PostgreSQL. */
const postgresqlFolders = '/usr/lib/postgresql/*/bin';
const programs = ['/usr/bin/patroni', '/usr/bin/etcd', '/usr/sbin/haproxy', `${postgresqlFolders}/postgres`];

/** Finds what is missing on this machine to start a cluster; `undefined` if nothing is. */
export function findMissingCluster(): string | undefined {
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

/** Runs a trial with a cluster, and ends its programs afterwards, however the trial ends. */
export async function withCluster(
  folder: string,
  servers: number,
  trial: (cluster: Cluster) => Promise<void>,
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
    await trial(cluster);
  } finally {
    process.off('exit', stop);
    stop();
  }
}

/** PostgreSQL servers under Patroni, with etcd, and HAProxy in front, configured as in deploy/high-availability. */
export class Cluster implements Place {
  /** When run as root, the programs run as the user `postgres`. */
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
    await this.until('etcd is healthy', () => isOk(`${url}/health`));
    for (const node of this.nodes) this.startPatroni(node);
    await this.untilWhole();
    const file = join(this.folder, 'haproxy.cfg');
    writeFileSync(file, readHaproxyConfiguration(this.nodes, proxyPort));
    this.run('haproxy', '/usr/sbin/haproxy', '-db', '-f', file);
    const superuser = `postgresql://postgres:replace-this-password@127.0.0.1:${proxyPort}/postgres`;
    // HAProxy balances between all servers until its first health checks are done.
    let successes = 0;
    await this.until('HAProxy leads to the primary alone', async () => {
      const isPrimary = await succeeds(query(superuser, 'SELECT 1 / (NOT pg_is_in_recovery())::int'));
      successes = isPrimary ? successes + 1 : 0;
      return successes === 10;
    });
    await query(superuser, "CREATE ROLE plant_store LOGIN PASSWORD 'password'");
    await query(superuser, 'CREATE DATABASE plant_store OWNER plant_store');
    this.databaseUrl = `postgresql://plant_store:password@127.0.0.1:${proxyPort}/plant_store`;
  }

  /**
   * Kills the primary, and returns its server: PostgreSQL with its Patroni, as when a machine is lost; only PostgreSQL, as when it crashes;
   * or only Patroni, so that its PostgreSQL still considers itself the primary. First it permanently holds back the latest commits from the
   * standbys, as if they were still on the network. On one machine they would otherwise almost always arrive, even without synchronous
   * replication.
   */
  async killPrimary(killed: 'machine' | 'postgresql' | 'patroni'): Promise<Node> {
    for (const node of this.nodes) {
      if (!(await has(node, 'primary'))) continue;
      this.signalWalReceivers('SIGSTOP');
      await delay(holdBackMs);
      if (node.patroni !== undefined && killed !== 'postgresql') {
        this.running.delete(node.patroni);
        killGroup(node.patroni);
      }
      if (killed !== 'patroni') for (const pid of pidsOf(node)) kill(pid, 'SIGKILL');
      // The rest in the buffer of the connection is never read.
      this.signalWalReceivers('SIGTERM', 'SIGCONT');
      return node;
    }
    throw new Error('There is no primary to kill');
  }

  /** Starts the Patroni of a server again if it was killed, and resolves once the server is a synchronous standby. */
  async bringBack(node: Node): Promise<void> {
    if (node.patroni === undefined || !this.running.has(node.patroni)) this.startPatroni(node);
    await this.untilWhole();
  }

  /**
   * Ends all programs, each PostgreSQL by an immediate shutdown, which removes its shared memory. Kills those that have not ended within 10
   * seconds. Blocks until then, so that it can run while this process exits.
   */
  stop(): void {
    // Patroni first, because it would restart its PostgreSQL.
    for (const child of this.running.keys()) killGroup(child);
    for (const node of this.nodes) for (const pid of pidsOf(node).slice(0, 1)) kill(pid, 'SIGQUIT');
    const never = new Int32Array(new SharedArrayBuffer(4));
    const end = performance.now() + 10_000;
    while (this.nodes.flatMap(pidsOf).length > 0 && performance.now() < end) Atomics.wait(never, 0, 0, 50);
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

  private untilWhole(): Promise<void> {
    const count = async (role: string) =>
      (await Promise.all(this.nodes.map((node) => has(node, role)))).filter(Boolean).length;
    return this.until('there is a primary with its standbys', async () => {
      const counts = [await count('primary'), await count('replica'), Math.min(1, await count('sync'))];
      return counts.join() === [1, this.nodes.length - 1, 1].join();
    });
  }

  /** Waits for a condition, or fails if a program ends that was not killed. */
  private until(what: string, condition: () => Promise<boolean>): Promise<void> {
    const isReached = async () => {
      for (const [child, name] of this.running)
        if (hasEnded(child))
          throw new Error(`${name} has ended:\n${readFileSync(this.logOf(name), 'utf8').slice(-2_000)}`);
      await delay(100);
      return condition();
    };
    return until(isReached, what, { timeoutMs });
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
function has({ restPort }: Node, role: string): Promise<boolean> {
  return isOk(`http://127.0.0.1:${restPort}/${role}`);
}

/** Whether a URL is answered with status 200, within 2 seconds. */
async function isOk(url: string): Promise<boolean> {
  const reply = await fetch(url, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
  await reply?.arrayBuffer().catch(() => undefined);
  return reply?.status === 200;
}

/** The processes of a server's PostgreSQL, which Patroni starts in a separate session; none if it does not run. */
function pidsOf({ dataFolder }: Node): readonly number[] {
  try {
    const pids = readPostgresqlPids(dataFolder);
    // The file may be left over from a server that has ended.
    return readCommand(pids[0] ?? 0).includes(dataFolder) ? pids : [];
  } catch {
    return [];
  }
}

/**
 * Reads `patroni.yml`, and replaces its name, ports and folders with those of a node.
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

/** Reads `haproxy.cfg` with the ports of these nodes, and without other servers. */
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

/** @throws {Error} if one of the texts to be replaced is missing, because the file has changed */
function replaceAll(text: string, replacements: Readonly<Record<string, string>>): string {
  return Object.entries(replacements).reduce((changed, [from, to]) => {
    if (!changed.includes(from)) throw new Error(`deploy/high-availability: there is no "${from}"`);
    return changed.replaceAll(from, to);
  }, text);
}
