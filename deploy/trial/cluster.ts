import { type ChildProcess, execFileSync } from 'node:child_process';
import { chownSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '@plant-store/postgresql-server';
import {
  type Node,
  readHaproxyConfiguration,
  readPatroniConfiguration,
  superuser,
} from './configurations.ts';
import {
  isRunning,
  killGroup,
  killPostgresql,
  type ServerUser,
  signalWalReceiver,
  start,
} from './processes.ts';
import { isOk, until } from './wait.ts';

/** PostgreSQL servers under Patroni, with HAProxy in front. */
export interface Cluster {
  /** The `DATABASE_URL` of an empty database, at HAProxy's address. */
  readonly databaseUrl: string;
  /** Resolves once every server runs, one as primary and at least one as its synchronous standby. */
  untilWhole(): Promise<void>;
  /**
   * Kills what is given of the primary, and returns the name of its server. Before that, and for good, no standby
   * receives its latest commits, as when they are still on the network. On one machine they would arrive in almost every
   * case, even without synchronous replication.
   */
  killPrimary(what: Kill): Promise<string>;
  /** Starts the Patroni of a server again if it was killed; it brings its PostgreSQL back as a standby. */
  bringBack(name: string): void;
}

/**
 * What is killed: PostgreSQL with its Patroni, as when a machine is lost; PostgreSQL alone, as when it crashes; or Patroni
 * alone, whose PostgreSQL then still takes itself for the primary.
 */
export const kills = ['machine', 'postgresql', 'patroni'] as const;
export type Kill = (typeof kills)[number];

/** How to set up a cluster. */
export interface ClusterOptions {
  /** An empty folder that the user has access to. */
  readonly folder: string;
  readonly servers: number;
  readonly user: ServerUser;
  readonly signal: AbortSignal;
  /** Called if a program of it ends without having been killed; it should abort the signal. */
  readonly onFailure: (error: Error) => void;
}

/** How long each step may take, in milliseconds; only one that hangs takes this long. */
const stepMs = 180_000;

/** How long commits are held back from the standbys before a kill, in milliseconds. */
const holdBackMs = 500;

/** Starts etcd, Patroni with its PostgreSQL servers, and HAProxy, and creates the database. */
export async function startCluster({ servers, ...place }: ClusterOptions): Promise<Cluster> {
  const { folder, user, signal, onFailure } = place;
  const wait = { timeoutMs: stepMs, signal };
  const socketFolder = join(folder, 'sockets');
  mkdirSync(socketFolder);
  if (user !== undefined) chownSync(socketFolder, user.uid, user.gid);
  const etcdPort = await startEtcd(place);
  const nodes: Node[] = [];
  for (const name of ['a', 'b', 'c'].slice(0, servers)) {
    const dataFolder = join(folder, `data-${name}`);
    nodes.push({ name, port: await findFreePort(), restPort: await findFreePort(), dataFolder });
  }
  const patronis = new Map<string, ChildProcess>();
  function startPatroni(node: Node): void {
    const file = join(folder, `patroni-${node.name}.yml`);
    const options = { etcdPort, socketFolder, isStrict: servers > 2 };
    writeFileSync(file, readPatroniConfiguration(node, options));
    patronis.set(
      node.name,
      start(['/usr/bin/patroni', file], { name: `patroni-${node.name}`, folder, user, onFailure }),
    );
  }
  const has = (node: Node, role: string) => isOk(`http://127.0.0.1:${node.restPort}/${role}`);
  const count = async (role: string) =>
    (await Promise.all(nodes.map((node) => has(node, role)))).filter((hasRole) => hasRole).length;
  const isWhole = async () =>
    (await count('primary')) === 1 && (await count('replica')) === servers - 1 && (await count('sync')) >= 1;

  for (const node of nodes) startPatroni(node);
  await until('a primary with its standbys', isWhole, wait);
  const proxyPort = await startHaproxy(nodes, place);
  const databaseUrl = await createDatabase(proxyPort, wait);
  return {
    databaseUrl,
    untilWhole: () => until('a primary with its standbys', isWhole, wait),
    async killPrimary(what) {
      for (const node of nodes) {
        if (!(await has(node, 'primary'))) continue;
        for (const { dataFolder } of nodes) signalWalReceiver(dataFolder, 'SIGSTOP');
        await delay(holdBackMs);
        const patroni = patronis.get(node.name);
        if (patroni !== undefined && what !== 'postgresql') killGroup(patroni);
        if (what !== 'patroni') killPostgresql(node.dataFolder);
        // What is left in the buffer of the connection is not read any more.
        for (const { dataFolder } of nodes) signalWalReceiver(dataFolder, 'SIGTERM', 'SIGCONT');
        return node.name;
      }
      throw new Error('There is no primary to kill');
    },
    bringBack(name) {
      const patroni = patronis.get(name);
      if (patroni !== undefined && isRunning(patroni)) return;
      for (const node of nodes) if (node.name === name) startPatroni(node);
    },
  };
}

type Place = Omit<ClusterOptions, 'servers'>;

async function startEtcd({ folder, user, signal, onFailure }: Place): Promise<number> {
  const [port, peerPort] = [await findFreePort(), await findFreePort()];
  const [url, peerUrl] = [`http://127.0.0.1:${port}`, `http://127.0.0.1:${peerPort}`];
  const data = join(folder, 'data-etcd');
  const client = ['--listen-client-urls', url, '--advertise-client-urls', url];
  const peer = ['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl];
  const members = ['--initial-cluster', `default=${peerUrl}`];
  start(['/usr/bin/etcd', '--data-dir', data, ...client, ...peer, ...members], {
    name: 'etcd',
    folder,
    user,
    onFailure,
  });
  await until('etcd healthy', () => isOk(`${url}/health`), { timeoutMs: stepMs, signal });
  return port;
}

async function startHaproxy(nodes: readonly Node[], { folder, user, onFailure }: Place): Promise<number> {
  const port = await findFreePort();
  const file = join(folder, 'haproxy.cfg');
  writeFileSync(file, readHaproxyConfiguration(nodes, port));
  start(['/usr/sbin/haproxy', '-db', '-f', file], { name: 'haproxy', folder, user, onFailure });
  return port;
}

/** Creates a user that owns a new database, through the proxy, and returns its URI. */
async function createDatabase(
  port: number,
  wait: { timeoutMs: number; signal: AbortSignal },
): Promise<string> {
  const server = `host=127.0.0.1 port=${port} user=${superuser.name} dbname=postgres connect_timeout=5`;
  const run = (sql: string) =>
    execFileSync('/usr/bin/psql', [server, '--no-psqlrc', '-qc', sql], {
      env: { PGPASSWORD: superuser.password },
      stdio: 'pipe',
      timeout: stepMs,
    });
  // HAProxy takes turns between all servers until its first health checks are done.
  let successes = 0;
  function leadsToPrimary(): boolean {
    try {
      run('SELECT 1 / (NOT pg_is_in_recovery())::int');
      successes++;
    } catch {
      successes = 0;
    }
    return successes === 10;
  }
  await until('HAProxy leading to the primary alone', leadsToPrimary, wait);
  run("CREATE ROLE plant_store LOGIN PASSWORD 'password'");
  run('CREATE DATABASE plants OWNER plant_store');
  return `postgresql://plant_store:password@127.0.0.1:${port}/plants`;
}
