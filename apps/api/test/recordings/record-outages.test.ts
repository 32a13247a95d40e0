import { execFileSync } from 'node:child_process';
import * as fs from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { scopes } from '@plant-store/contract/access-token';
import { createDatabase, query } from '@plant-store/postgresql-server';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { generateAccessToken } from '../../src/auth/token-service.js';
import { connectToSqlite } from '../support/database/open-sqlite-file.js';
import { startPostgresql } from '../support/postgresql/start-postgresql.js';
import { childrenOf } from '../support/process/processes.js';
import { issueToken, runCommand, startServe } from '../support/process/run-command.js';
import { alertedMetrics, type Samples, toSeries, writeRecording } from '../support/recordings.js';
import { temporaryFolder } from '../support/temporary-folder.js';

// Records the series that the alerts are tested with, in real time: all outages at once, for half an hour. `RECORD=disk-full-1,slow`
// records some of them. It needs root, for a small disk. Nothing is checked here: `pnpm test:on monitoring` reads the recordings.

/** A running service, and what an outage may do to it. */
interface Situation {
  readonly folder: string;
  /** Of the SQLite file. */
  readonly path: string;
  readonly databaseUrl: string;
  readonly pid: number;
  readonly baseUrl: string;
  readonly server: Awaited<ReturnType<typeof startPostgresql>> | undefined;
  create(token?: string): Promise<unknown>;
}

interface Outage {
  readonly title: string;
  /** SQLite by default. */
  readonly engine?: 'postgresql';
  /** How many creates are sent in a second; an outage with several has a recording of each. */
  readonly perSecond?: readonly number[];
  /** How long it lasts, in minutes; by default longer than any alert waits. */
  readonly minutes?: number;
  readonly settings?: Readonly<Record<string, string>>;
  readonly openFiles?: number;
  /** What is done before the service starts. */
  prepare?(service: { readonly folder: string }): void;
  /** After how long the token of the load expires. */
  readonly expires?: string;
  /** Whether there is no backup. */
  readonly hasNoBackup?: boolean;
  begin(situation: Situation): void | Promise<void>;
}

const scrapeMs = 15_000;
/** The scrapes before an outage begins. */
const scrapesBefore = 8;
const defaultMinutes = 14;
const lowAndHigh = [1, 20];
const noneToHigh = [0, 1, 20];
/** The time of a token that has 7 days left when the outage begins. */
const expiry = `${7 * 86_400 + (scrapesBefore * scrapeMs) / 1_000}s`;

/** Does something every second, until the end of the recording. */
function everySecond(action: () => unknown): void {
  const timer = setInterval(() => void Promise.resolve(action()).catch(() => undefined), 1_000);
  onTestFinished(() => clearInterval(timer));
}

const openFile = (path: string) => connectToSqlite(path, { timeout: 60_000 });

/** Mounts a disk of 64 MB over a folder. */
function mountDisk(folder: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', folder]);
  onTestFinished(() => void execFileSync('umount', ['--lazy', folder]));
}

/** Fills a disk until so many bytes are left. */
function fillDisk(folder: string, leftBytes: number): void {
  const file = fs.openSync(join(folder, 'filler'), 'w');
  const chunk = Buffer.alloc(4_096, 1);
  const left = () => fs.statfsSync(folder).bavail * fs.statfsSync(folder).bsize;
  try {
    while (left() > leftBytes) fs.writeSync(file, chunk);
  } finally {
    fs.closeSync(file);
  }
}

const expiring = { title: 'A token expires in 7 days', expires: expiry, begin: () => undefined } as const;
const quiet = { title: '30 quiet minutes', perSecond: [1], minutes: 30, begin: () => undefined } as const;

const outages: Readonly<Record<string, Outage>> = {
  'quiet-sqlite': quiet,
  'quiet-postgresql': { ...quiet, engine: 'postgresql' },
  'quiet-workers': { ...quiet, settings: { WORKERS: '2' } },
  'postgresql-stopped': {
    title: 'PostgreSQL is stopped',
    engine: 'postgresql',
    perSecond: noneToHigh,
    begin: ({ server }) => server?.stop(),
  },
  'postgresql-restarted': {
    title: 'PostgreSQL is unavailable for 30 s',
    engine: 'postgresql',
    async begin({ server }) {
      await server?.stop();
      setTimeout(() => void server?.start(), 30_000);
    },
  },
  'postgresql-hangs': {
    title: 'PostgreSQL hangs',
    engine: 'postgresql',
    async begin({ server }) {
      const postmaster = await query<{ pid: number }>(
        `${server?.url}/postgres`,
        `SELECT (pg_stat_file('postmaster.pid')).size AS size, split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int AS pid`,
      );
      const pid = postmaster[0]?.pid ?? 0;
      const all = [pid, ...childrenOf(pid)];
      for (const each of all) process.kill(each, 'SIGSTOP');
      onTestFinished(() => {
        for (const each of all) process.kill(each, 'SIGCONT');
      });
    },
  },
  'postgresql-locked': {
    title: 'A lock holds all connections of the pool',
    engine: 'postgresql',
    perSecond: [20],
    settings: { DATABASE_POOL_SIZE: '2' },
    async begin({ databaseUrl }) {
      const client = new pg.Client({ connectionString: databaseUrl });
      await client.connect();
      onTestFinished(() => client.end());
      await client.query('BEGIN; LOCK TABLE plants IN ACCESS EXCLUSIVE MODE');
    },
  },
  'standby-away': {
    title: 'The synchronous standby is away',
    engine: 'postgresql',
    perSecond: lowAndHigh,
    async begin({ server }) {
      const url = `${server?.url}/postgres`;
      await query(url, `ALTER SYSTEM SET synchronous_standby_names = 'missing'`);
      await query(url, 'SELECT pg_reload_conf()');
    },
  },
  'file-moved': {
    title: 'The SQLite file is moved',
    perSecond: noneToHigh,
    begin: ({ path }) => fs.renameSync(path, `${path}.away`),
  },
  'file-moved-workers': {
    title: 'The SQLite file is moved, with two workers',
    settings: { WORKERS: '2' },
    begin: ({ path }) => fs.renameSync(path, `${path}.away`),
  },
  'disk-full': {
    title: 'The disk is full',
    perSecond: lowAndHigh,
    prepare: ({ folder }) => mountDisk(folder),
    begin: ({ folder }) => fillDisk(folder, 0),
  },
  'disk-almost-full': {
    title: 'The disk has 5 % left',
    prepare: ({ folder }) => mountDisk(folder),
    begin: ({ folder }) => fillDisk(folder, 3_300_000),
  },
  damaged: {
    title: 'The SQLite file is damaged',
    begin({ path }) {
      const connection = openFile(path);
      connection.unsafeMode();
      connection.exec(`PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET rootpage = 1000000 WHERE name = 'plants';
        PRAGMA schema_version = 1000`);
    },
  },
  'checkpoint-stuck': {
    title: 'A program keeps reading the SQLite file',
    perSecond: lowAndHigh,
    begin: ({ path }) => void openFile(path).exec('BEGIN; SELECT count(*) FROM plants'),
  },
  'table-changed': {
    title: 'Someone changed a table',
    begin: ({ path }) => void openFile(path).exec('ALTER TABLE plants RENAME COLUMN tag TO label'),
  },
  'backup-missing': { title: 'There was never a backup', hasNoBackup: true, begin: () => undefined },
  'backup-overdue': {
    title: 'The last backup was made 26 hours ago',
    perSecond: lowAndHigh,
    begin: ({ path }) =>
      fs.writeFileSync(`${path}.last-backup`, `${new Date(Date.now() - 26 * 3_600_000).toISOString()}\n`),
  },
  'token-expires': { ...expiring, perSecond: lowAndHigh },
  'token-expires-postgresql': {
    ...expiring,
    title: 'A token expires in 7 days, on PostgreSQL',
    engine: 'postgresql',
  },
  'wrong-tokens': {
    title: 'Someone tries 30 tokens a second',
    begin: ({ create }) =>
      everySecond(() => Promise.all(Array.from({ length: 30 }, () => create(generateAccessToken())))),
  },
  overload: {
    title: 'Creates arrive 50 at a time, where 10 may wait',
    settings: { QUEUE_MAX_PLANTS: '10' },
    begin: ({ create }) => everySecond(() => Promise.all(Array.from({ length: 50 }, () => create()))),
  },
  burst: {
    title: 'Creates arrive 50 at a time, where 10 may wait, for a minute',
    settings: { QUEUE_MAX_PLANTS: '10' },
    begin({ create }) {
      let seconds = 0;
      everySecond(() => seconds++ < 60 && Promise.all(Array.from({ length: 50 }, () => create())));
    },
  },
  slow: {
    title: 'A program locks the SQLite file again and again',
    begin({ path }) {
      const connection = openFile(path);
      everySecond(async () => {
        connection.exec('BEGIN IMMEDIATE');
        await sleep(750);
        connection.exec('ROLLBACK');
      });
    },
  },
  'processor-taken': {
    title: 'The process gets no processor for 0.4 s of each second',
    begin: ({ pid }) =>
      everySecond(async () => {
        process.kill(pid, 'SIGSTOP');
        await sleep(400);
        process.kill(pid, 'SIGCONT');
      }),
  },
  'worker-killed': {
    title: 'A worker is killed',
    settings: { WORKERS: '2' },
    begin: ({ pid }) => void process.kill(childrenOf(pid)[0] ?? 0, 'SIGKILL'),
  },
  'many-connections': {
    title: 'A client opens 300 connections, where 256 files may be open',
    openFiles: 256,
    begin({ baseUrl }) {
      const { hostname, port } = new URL(baseUrl);
      const sockets = new Set<Socket>();
      everySecond(() => {
        while (sockets.size < 300) {
          const socket = connect(Number(port), hostname);
          sockets.add(socket);
          socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
        }
      });
      onTestFinished(() => {
        for (const socket of sockets) socket.destroy();
      });
    },
  },
  killed: { title: 'The service is killed', begin: ({ pid }) => void process.kill(pid, 'SIGKILL') },
};

/** Starts a service and what it needs. */
async function start({ engine, settings = {}, prepare, expires, openFiles, hasNoBackup }: Outage) {
  const folder = temporaryFolder();
  const server = engine === 'postgresql' ? await startPostgresql() : undefined;
  if (server !== undefined) onTestFinished(server.remove);
  const path = join(folder, 'plant-store.db');
  const databaseUrl = server === undefined ? `file:${path}` : await createDatabase(server.url);
  prepare?.({ folder });
  const environment = { DATABASE_URL: databaseUrl, ADMIN_PORT: '0', LOG_REQUESTS: 'errors', ...settings };
  const call = { folder, environment };
  const token = expires === undefined ? await issueToken(call) : await issueExpiring(call, expires);
  if (server === undefined && !hasNoBackup)
    expect(await runCommand(['backup'], call)).toMatchObject({ exitCode: 0 });
  const { command, baseUrl, adminUrl } = await startServe({ ...call, ...(openFiles && { openFiles }) });
  let id = 1;
  const create = async (text = token) => {
    const response = await fetch(`${baseUrl}/plants`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${text}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ id: id++, name: 'Monstera' }),
      signal: AbortSignal.timeout(15_000),
    });
    await response.arrayBuffer();
  };
  const pid = command.process.pid ?? 0;
  const situation: Situation = { folder, path, databaseUrl, pid, baseUrl, server, create };
  return { situation, adminUrl };
}

async function issueExpiring(call: Parameters<typeof runCommand>[1], expires: string): Promise<string> {
  const args = ['token', 'create', '--name', 'shop', '--can', scopes.join(), '--expires', expires];
  const { stdout, stderr } = await runCommand(args, call);
  const [token] = /^pst_\w+/m.exec(stdout) ?? [];
  if (token === undefined) throw new Error(`There is no token in ${stdout}${stderr}`);
  return token;
}

/** Scrapes an admin port, as Prometheus does, and adds the samples. */
async function scrape(adminUrl: string, index: number, samples: Map<string, Samples>): Promise<void> {
  const add = (series: string, value: number) => {
    const values = samples.get(series) ?? [];
    values[index] = value;
    samples.set(series, values);
  };
  const labels = 'instance="plants:3001",job="plant-store"';
  try {
    const response = await fetch(`${adminUrl}/metrics`, { signal: AbortSignal.timeout(10_000) });
    for (const line of (await response.text()).split('\n')) {
      const [, name = '', own, value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
      const series = `${name}{${own === undefined ? '' : `${own},`}${labels}}`;
      if (alertedMetrics.has(name)) add(series, Number(value?.replace('Inf', 'Infinity')));
    }
    add(`up{${labels}}`, 1);
  } catch {
    add(`up{${labels}}`, 0);
  }
}

async function record(name: string, outage: Outage, perSecond: number): Promise<void> {
  const { situation, adminUrl } = await start(outage);
  const send = () => void situation.create().catch(() => undefined);
  send();
  const load = perSecond > 0 ? setInterval(send, 1_000 / perSecond) : undefined;
  onTestFinished(() => clearInterval(load));
  const { title, minutes = defaultMinutes, hasNoBackup, begin } = outage;
  const count = scrapesBefore + (minutes * 60_000) / scrapeMs + 1;
  const samples = new Map<string, Samples>();
  // The first requests, such as that of a token, are over.
  await sleep(2_000);
  const startedAt = Date.now();
  for (let index = 0; index < count; index++) {
    await sleep(startedAt + index * scrapeMs - Date.now());
    await scrape(adminUrl, index, samples);
    if (index === scrapesBefore) await begin(situation);
  }
  clearInterval(load);
  const outageAt = hasNoBackup ? 0 : (scrapesBefore * scrapeMs) / 1_000;
  const series = toSeries(samples, count, startedAt / 1_000);
  writeRecording(name, { title, perSecond, outageAt, series });
}

/** Every recording, by its name. */
function* listRecordings(): Generator<[name: string, outage: Outage, perSecond: number]> {
  for (const [name, outage] of Object.entries(outages)) {
    const { perSecond: rates = [1] } = outage;
    for (const perSecond of rates)
      yield [rates.length > 1 ? `${name}-${perSecond}` : name, outage, perSecond];
  }
}

it('records', { timeout: 3_600_000 }, async () => {
  const chosen = process.env['RECORD']?.split(',');
  const recordings: Promise<void>[] = [];
  for (const [name, outage, perSecond] of listRecordings()) {
    if (chosen !== undefined && !chosen.includes(name)) continue;
    recordings.push(record(name, outage, perSecond));
    // Not all services start at once.
    await sleep(2_000);
  }
  expect(recordings.length).toBeGreaterThan(0);
  await Promise.all(recordings);
});
