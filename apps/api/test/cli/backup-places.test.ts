import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs, { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { createRegistry } from '../../src/observe/metrics.js';
import { openDatabase } from '../../src/store/open-database.js';
import { connectToSqlite } from '../support/database/open-sqlite-file.js';
import { listen } from '../support/listen.js';
import { execute, fillStore, readRows, readStoreId, withoutStore } from '../support/process/fill-store.js';
import { failed, succeeded } from '../support/process/run-command.js';
import { useCommands } from '../support/process/run-in-process.js';
import { s3Credentials, startS3 } from '../support/start-s3.js';

const rose = [1n, 'Rose', null] as const;
/** Times of backups in their names, the oldest first. */
const [first, second, future] = ['2026-11-01T02-00-00Z', '2026-11-02T02-00-00Z', '2231-01-01T00-00-00Z'];
/** Names of versions before 1.5. */
const withoutId = [`plant-store-${first}.db`, `plant-store-${second}.db`];
const name = /^plant-store-[0-9a-f]{16}-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.db$/;
const isDone = (message: RegExp) => succeeded('', message);
const backupsOf = (folder: string) =>
  readdirSync(folder)
    .filter((each) => name.test(each))
    .toSorted();

/** Creates a folder with these files, which are empty. */
function fillFolder(folder: string, names: readonly string[]): string {
  mkdirSync(folder);
  for (const each of names) writeFileSync(join(folder, each), '');
  return folder;
}

/** Commands on a store with a rose, and how its backups of these times are named. */
async function openRose(environment: Readonly<Record<string, string>> = {}) {
  const { folder, run } = useCommands(environment);
  const path = await fillStore(folder, [[...rose]]);
  const nameOf = (time: string | undefined) => `plant-store-${readStoreId(path)}-${time}.db`;
  return { folder, run, path, nameOf };
}

it('backs up beside the database, notes when, and keeps so many of its own store', async () => {
  const { folder, run, path, nameOf } = await openRose();
  const [oldest, older] = [nameOf(first), nameOf(second)];
  const others = ['mine.db', `plant-store-0123456789abcdef-${first}.db`, ...withoutId];
  const ofStore = [oldest, `${oldest}.sha256`, older, `${older}.sha256`];
  const backups = fillFolder(join(folder, 'data/backups'), [...ofStore, ...others]);
  const { exitCode, stderr } = await run('backup --keep 2');
  expect(exitCode).toBe(0);
  expect(stderr).toContain(`Removed 1 older backup: ${oldest}.`);
  expect(stderr).toContain('Kept 2 backups with no store ID in the name');
  const newest = backupsOf(backups).at(-1) ?? '';
  const left = [...ofStore.slice(2), newest, `${newest}.sha256`, ...others];
  expect(readdirSync(backups).toSorted()).toEqual(left.toSorted());
  expect(readRows(join(backups, newest))).toEqual([[...rose]]);
  expect(Date.now() - Date.parse(readFileSync(`${path}.last-backup`, 'utf8').trim())).toBeLessThan(60_000);
});

it('never removes the new backup, nor counts one with a name in the future', async () => {
  const { folder, run, path, nameOf } = await openRose();
  const ahead = nameOf(future);
  const backups = fillFolder(join(folder, 'data/backups'), [nameOf(first), ahead]);
  expect(await run('backup --keep 1')).toEqual(isDone(/names are in the future.*2231/));
  const [newest = ''] = backupsOf(backups).filter((each) => each !== ahead);
  expect(backupsOf(backups)).toEqual([newest, ahead]);
  await run('import', '{"id":2,"name":"Fern"}\n');
  const restored = await run('restore data/backups');
  expect(restored).toEqual(isDone(/names are in the future[\s\S]*contains 1 plant /));
  expect(readRows(path)).toEqual([[...rose]]);
  rmSync(join(backups, newest));
  expect(await run('restore data/backups')).toEqual(failed(/All backups in .* are dated in the future/));
});

it('removes nothing where the database has no ID yet, and gives backups of one second different names', async () => {
  const { folder, run, path } = await openRose();
  execute(path, withoutStore);
  const backups = fillFolder(join(folder, 'data/backups'), withoutId);
  const results = [await run('backup --keep 1'), await run('backup --keep 1')];
  for (const result of results)
    expect(result).toEqual(isDone(/No older backups were removed, .* does not get an ID/));
  expect(readdirSync(backups).filter((each) => each.endsWith('.db'))).toHaveLength(4);
});

it('replaces the SHA-256 that is left of a backup, and leaves none beside what failed', async () => {
  const { folder, run } = await openRose();
  writeFileSync(join(folder, 'copy.db.sha256'), 'old');
  expect(await run('backup copy.db')).toEqual(isDone(/Copied 1 plant/));
  execFileSync('sha256sum', ['--check', '--strict', 'copy.db.sha256'], { cwd: folder, stdio: 'pipe' });
  rmSync(join(folder, 'copy.db.sha256'));
  expect(await run('backup copy.db')).toEqual(failed(/copy\.db already exists/));
  expect(existsSync(join(folder, 'copy.db.sha256'))).toBe(false);
});

it('gives a backup its name only once its SHA-256 is there, and removes that where the name is not given', async () => {
  const { folder, run } = await openRose();
  const { link } = fs.promises;
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
  let found: readonly string[] = [];
  vi.spyOn(fs.promises, 'link').mockImplementation(async (from, to) => {
    if (!String(to).endsWith('.db')) return link(from, to);
    found = readdirSync(join(folder, 'kept'));
    throw Object.assign(new Error('EIO'), { code: 'EIO', syscall: 'link' });
  });
  syncBuiltinESMExports();
  expect(await run('backup kept/')).toEqual(failed(/cannot be written: EIO/));
  expect(found.filter((each) => each.endsWith('Z.db.sha256'))).toHaveLength(1);
  expect(readdirSync(join(folder, 'kept'))).toEqual([]);
});

it('removes nothing, and notes nothing, where there is no new backup', async () => {
  const { folder, run, path } = await openRose();
  fillFolder(join(folder, 'kept'), withoutId);
  writeFileSync(path, 'This is a text of some length. '.repeat(100));
  expect(await run('backup kept --keep 1')).toEqual(failed(/file is not a database/));
  expect(readdirSync(join(folder, 'kept'))).toEqual(withoutId);
  expect(existsSync(`${path}.last-backup`)).toBe(false);
  expect(await run('backup file.db --keep 1')).toEqual({ ...failed(/need a folder/), exitCode: 2 });
});

it('restores the latest backup of a folder, and keeps what was there', async () => {
  const { folder, run, path } = await openRose();
  await run('backup');
  await run('import', '{"id":2,"name":"Fern"}\n');
  expect(await run('restore data/backups --dry-run')).toEqual(
    isDone(/is complete and contains 1 plant and 0 tokens\. .*Nothing was changed\. .* is renamed/),
  );
  expect(readRows(path)).toHaveLength(2);
  const user = connectToSqlite(path);
  user.pragma('journal_mode = WAL');
  expect(await run('restore data/backups')).toEqual(
    failed(/has .* open\. Nothing was changed\. Stop that program/),
  );
  expect(readRows(path)).toHaveLength(2);
  user.close();
  expect(await run('restore data/backups')).toEqual(
    isDone(/It was restored to .*The previous database was moved to /),
  );
  expect(readRows(path)).toEqual([[...rose]]);
  const [kept = ''] = readdirSync(join(folder, 'data')).filter((each) => each.includes('.before-restore-'));
  expect(readRows(join(folder, 'data', kept))).toHaveLength(2);
  expect(readdirSync(join(folder, 'data')).filter((each) => /restored|fetched/.test(each))).toEqual([]);
});

it('moves away a log that is left without its database', async () => {
  const { folder, run, path } = await openRose();
  await run('backup copy.db');
  rmSync(path);
  writeFileSync(`${path}-wal`, 'the log of another database');
  expect(await run('restore copy.db')).toEqual(isDone(/The previous database was moved to /));
  expect(readdirSync(join(folder, 'data')).filter((each) => /before-restore.*-wal/.test(each))).toHaveLength(
    1,
  );
  expect(readRows(path)).toEqual([[...rose]]);
});

it('shows in a check, and in metrics, when the last backup was made', async () => {
  const { run, path } = await openRose();
  const backupLine = async () => /^.* backup: .*$/m.exec((await run('check')).stdout)?.[0];
  expect(await backupLine()).toMatch(/^warning .*has not run yet.*every night/);
  await run('backup');
  expect(await backupLine()).toMatch(/^ok .*was made at \d{4}-/);
  const metrics = createRegistry();
  const database = await openDatabase({ engine: 'sqlite', path }, { metrics });
  onTestFinished(database.close);
  const metric = metrics.getSingleMetric('plant_store_last_backup_timestamp_seconds');
  const readGauge = async () => (await metric?.get())?.values[0]?.value;
  expect(await readGauge()).toBeCloseTo(Date.now() / 1_000, -2);
  writeFileSync(`${path}.last-backup`, new Date(Date.now() - 49 * 3_600_000).toISOString());
  expect(await backupLine()).toMatch(/^warning .*was made .*every night/);
  writeFileSync(`${path}.last-backup`, '2231-01-01T00:00:00.000Z');
  expect(await backupLine()).toMatch(/^warning .*dated 2231-01-01 00:00 UTC, which is in the future/);
  expect(await readGauge()).toBe(0);
});

it('removes as BACKUP_KEEP says only where BACKUP_TO says', async () => {
  const { folder, run, nameOf } = await openRose({ BACKUP_TO: 'nightly', BACKUP_KEEP: '1' });
  const own = [nameOf(first), nameOf(second)];
  const [nightly = '', archive = ''] = ['nightly', 'archive'].map((place) =>
    fillFolder(join(folder, place), own),
  );
  await run('backup archive');
  await run('backup');
  await run('backup --keep 0');
  expect([backupsOf(archive).length, backupsOf(nightly).length]).toEqual([3, 2]);
});

it('restores no file that is damaged', async () => {
  const { folder, run, path } = await openRose();
  writeFileSync(join(folder, 'damaged.db'), readFileSync(path).subarray(0, 5_000));
  expect(await run('restore damaged.db')).toEqual(failed(/damaged\.db cannot be used: /));
  expect(readRows(path)).toEqual([[...rose]]);
});

let s3: Awaited<ReturnType<typeof startS3>>;
let port: number;

beforeAll(async () => {
  s3 = await startS3('plants');
  ({ port } = s3);
});
afterAll(() => s3.close());

type Intercept = (request: IncomingMessage, response: ServerResponse) => boolean;

/** A store with one plant, and commands that reach S3 by a proxy, which may answer by itself. */
async function openStore(prefix: string, intercept: Intercept = () => false, settings: object = {}) {
  const proxy = createServer((incoming, response) => {
    if (intercept(incoming, response)) return;
    const { method, url, headers } = incoming;
    const forwarded = request({ port, host: '127.0.0.1', method, path: url, headers }, (reply) => {
      response.writeHead(reply.statusCode ?? 502, reply.headers);
      reply.pipe(response);
    });
    incoming.pipe(forwarded);
    forwarded.on('error', () => response.destroy());
  });
  const endpoint = await listen(proxy);
  const environment = { ...s3Credentials, AWS_ENDPOINT_URL_S3: endpoint, ...settings };
  return openRose({ ...environment, BACKUP_TO: `s3://plants/${prefix}` });
}

it('backs up to S3, keeps so many, and restores the latest from there', async () => {
  const { path, run } = await openStore('good');
  const copied = /^Copied 1 plant to s3:\/\/plants\/good\/plant-store-.*checked the copy\.\n$/;
  expect(await run('backup')).toEqual(isDone(copied));
  await run('import', '{"id":2,"name":"Fern"}\n');
  expect((await run('backup --keep 1')).stderr).toMatch(/Copied 2 plants .*\nRemoved 1 older backup/);
  await run('import', '{"id":3,"name":"Ivy"}\n');
  // Of another name, it is no backup.
  await fetch(`http://127.0.0.1:${port}/plants/good/zzz.db`, { method: 'PUT', body: 'text' });
  expect(await run('restore s3://plants/good/')).toEqual(isDone(/contains 2 plants /));
  expect(readRows(path)).toHaveLength(2);
});

it('has the SHA-256 in the metadata of an object, also of one in several parts, and compares it', async () => {
  let parts = 0;
  const { path, run } = await openStore('hash', ({ url = '' }) => {
    if (url.includes('partNumber=')) parts++;
    return false;
  });
  // More than a part has.
  execute(path, `UPDATE plants SET name = hex(zeroblob(${2 ** 24}))`);
  const { stderr } = await run('backup');
  expect(parts).toBeGreaterThan(2);
  const [, key] = /s3:\/\/plants\/(\S+),/.exec(stderr) ?? [];
  const url = `http://127.0.0.1:${port}/plants/${key}`;
  const response = await fetch(url);
  const content = Buffer.from(await response.arrayBuffer());
  const sha256 = createHash('sha256').update(content).digest('hex');
  expect(response.headers.get('x-amz-meta-sha256')).toBe(sha256);
  expect(await run(`restore s3://plants/${key} --dry-run`)).toEqual(
    isDone(/Its SHA-256 checksum is correct/),
  );
  content.write('1', content.indexOf('0'.repeat(1_000)) + 500);
  await fetch(url, { method: 'PUT', body: content, headers: { 'x-amz-meta-sha256': sha256 } });
  expect(await run('restore s3://plants/hash/')).toEqual(failed(/has changed since it was made/));
  await fetch(url, { method: 'PUT', body: content });
  expect(await run('restore s3://plants/hash/ --dry-run')).toEqual(isDone(/has no SHA-256/));
});

const cutParts: Intercept = ({ url, socket }) => {
  const isPart = url?.includes('partNumber') === true;
  if (isPart) socket.destroy();
  return isPart;
};

/** Answers in its own way when the new backup is read back. */
const onReadBack =
  (answer: (response: ServerResponse) => unknown): Intercept =>
  ({ method, url }, response) => {
    const isReadBack = method === 'GET' && url?.includes('.db') === true;
    if (isReadBack) answer(response);
    return isReadBack;
  };

it.each<[problem: string, intercept: Intercept, message: RegExp, settings?: object]>([
  ['a connection that is cut in the middle', cutParts, /is not responding/],
  [
    'wrong credentials',
    () => false,
    /SignatureDoesNotMatch.*credentials/,
    { AWS_SECRET_ACCESS_KEY: 'wrong' },
  ],
  [
    'a reply that is lost once the upload is complete',
    (incoming, response) => {
      const { method, url, headers } = incoming;
      if (method !== 'POST' || !url?.includes('uploadId=')) return false;
      const lose = () => response.destroy();
      const forwarded = request({ port, host: '127.0.0.1', method, path: url, headers }, (reply) =>
        reply.resume().once('end', lose),
      );
      incoming.pipe(forwarded);
      return true;
    },
    /may be incomplete: .*No new backup was made\. The object was removed/,
  ],
  [
    'a connection that is cut while it is read back',
    onReadBack((response) => {
      response.writeHead(200, { 'content-length': '9999' }).write('half', () => response.destroy());
    }),
    /could not be read back: .* was interrupted.*No new backup was made\. The object was removed/,
  ],
  [
    'a bucket that returns something else',
    onReadBack((response) => response.end('something else')),
    /differs from .*No new backup was made\. The object was removed/,
  ],
])('calls nothing a backup with %s, and removes none', async (problem, intercept, message, settings) => {
  const prefix = problem.replaceAll(' ', '-');
  const good = await openStore(prefix);
  await good.run('backup');
  const { folder, path, run } = await openStore(prefix, intercept, settings);
  const { exitCode, stderr } = await run('backup --keep 1');
  expect(stderr).toMatch(message);
  expect(exitCode).toBeGreaterThan(0);
  expect(existsSync(`${path}.last-backup`)).toBe(false);
  expect(readdirSync(join(folder, 'data')).filter((each) => each.includes('to-send'))).toEqual([]);
  const list = await fetch(`http://127.0.0.1:${port}/plants?list-type=2&prefix=${prefix}/`);
  expect((await list.text()).match(/<Key>/g), 'the one from before is the only one').toHaveLength(1);
});
