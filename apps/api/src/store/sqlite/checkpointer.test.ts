import { closeSync, existsSync, openSync, readFileSync, readSync, renameSync, statSync } from 'node:fs';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { Registry } from '@prometheus-io/client';
import type Sqlite from 'better-sqlite3';
import { expect, it, onTestFinished } from 'vitest';
import { connectToSqlite, openSqliteFile } from '../../../test/support/database/open-sqlite-file.js';
import { recordLog } from '../../../test/support/database/record-log.js';
import { until } from '../../../test/support/until.js';
import { type CheckpointerOptions, createCheckpointer } from './checkpointer.js';
import { identifyFiles } from './file-identity.js';

/** Creates a database for a checkpointer that the test starts, and a connection that writes without checkpoints. */
async function createFile(options: Sqlite.Options = {}) {
  // An open database that stores nothing starts no checkpointer.
  const { folder, path } = await openSqliteFile();
  // On a slow machine, the holder of a lock may be delayed.
  const writer = connectToSqlite(path, { timeout: 60_000, ...options });
  const files = identifyFiles(path);
  writer.pragma('wal_autocheckpoint = 0');
  const statement = writer.prepare(
    'INSERT INTO plants (id, name) SELECT coalesce(max(id), 0) + 1, ? FROM plants',
  );
  const insert = (bytes = 10_000) => void statement.run('x'.repeat(bytes));
  const { log, lines } = recordLog();
  /** The pages of the log at each checkpoint. */
  const checkpoints: number[] = [];
  function start(parts: Partial<CheckpointerOptions> = {}) {
    const onCheckpoint = ({ logPages }: { logPages: number }) => void checkpoints.push(logPages);
    const checkpointer = createCheckpointer(files, { log, onCheckpoint, ...parts });
    checkpointer.start();
    onTestFinished(() => checkpointer.stop());
    return checkpointer;
  }
  /** Inserts and waits for the checkpoint, several times. Each time the log has more pages than ever before, so that checkpoints differ. */
  async function insertAndMove(times: number) {
    for (let count = 1; count <= times; count++) {
      const { length } = checkpoints;
      insert(15_000 * 3 ** count);
      await until(() => checkpoints.length > length);
    }
  }
  const logSize = () => statSync(`${path}-wal`).size;
  return { folder, path, writer, insert, insertAndMove, start, lines, checkpoints, logSize };
}

/** The URL of a program for the thread. */
const programOf = (code: string) => new URL(`data:text/javascript,${encodeURIComponent(code)}`);

it('moves commits into the database file while it is open, measures that, and releases the file', async () => {
  const metrics = new Registry();
  const { path, database, store } = await openSqliteFile({ metrics });
  const readValue = async (name: string) =>
    Number(new RegExp(`^plant_store_sqlite_${name} (.*)$`, 'm').exec(await metrics.metrics())?.[1]);
  expect(await readValue('wal_pages')).toBe(0);
  const { size } = statSync(path);
  let id = 0n;
  // The first checkpoint empties the log, so the next one would find no pages without new plants.
  await until(async () => {
    await store.create(Array.from({ length: 100 }, () => ({ id: id++, name: 'x'.repeat(1_000) })));
    return statSync(path).size > size + 100_000 && (await readValue('wal_pages')) > 100;
  });
  expect(await readValue('checkpoint_duration_seconds_count')).toBeGreaterThan(0);
  expect(await readValue('checkpoint_duration_seconds_sum')).toBeGreaterThan(0);
  await database.close();
  expect(existsSync(`${path}-wal`)).toBe(false);
});

/** How often the log was restarted, from its header (https://www.sqlite.org/fileformat.html#walformat). */
function readLogNumber(path: string): number {
  const header = Buffer.alloc(16);
  const log = openSync(`${path}-wal`, 'r');
  // The log may be empty until the next insert.
  readSync(log, header);
  closeSync(log);
  return header.readUInt32BE(12);
}

it('restarts the log repeatedly under steady writes', async () => {
  const { path, insert, start } = await createFile();
  insert();
  const first = readLogNumber(path);
  start({ restartPages: 100 });
  while (readLogNumber(path) < first + 2) {
    insert();
    await sleep(1);
  }
});

it('leaves the restart of the log to the writing connection, which never waits for a lock, and keeps the process locks', async () => {
  const { path, writer, insert, checkpoints, start } = await createFile({ timeout: 0 });
  insert();
  /** The numbers of the logs that were moved completely. The thread may ask for the same one twice before the next insert. */
  const moved = new Set<number>();
  const moveRest = async () => {
    const [found] = writer.pragma('wal_checkpoint') as [{ busy: number; log: number; checkpointed: number }];
    // The thread may be running a checkpoint at the same time.
    if (found.busy === 0 && found.checkpointed === found.log) moved.add(readLogNumber(path));
    return true;
  };
  const checkpointer = start({ restartPages: 1_000, moveRest });
  // The log is emptied once at the start.
  await until(() => checkpoints.length > 0);
  insert();
  // An insert that would have to wait fails.
  while (moved.size < 3 || moved.has(readLogNumber(path))) {
    insert();
    await setImmediate();
  }
  await checkpointer.stop();
  // Without the process's lock, another process that closes the file would consider itself the last one, and delete the log.
  const isOfFile = (line: string) =>
    line.includes(` ${process.pid} `) && line.includes(`:${statSync(path).ino} `);
  // Changing locks of other programs may hide a line.
  await until(() => readFileSync('/proc/locks', 'utf8').split('\n').filter(isOfFile).length === 1);
});

it('blocks no writer while a reader uses an older snapshot', async () => {
  const { path, insert, start, lines } = await createFile({ timeout: 0 });
  for (let count = 0; count < 100; count++) insert();
  connectToSqlite(path).exec('BEGIN; SELECT * FROM plants');
  const { size } = statSync(path);
  start({ restartPages: 10 });
  // The first checkpoint moves what the reader sees; nothing else can be moved.
  await until(() => {
    insert();
    return statSync(path).size > size + 500_000;
  }, 1);
  // Several more checkpoints, each with a log beyond the limit.
  for (let count = 0; count < 300; count++) {
    insert();
    await sleep(1);
  }
  expect(lines).toEqual([]);
});

it('recovers after a temporary failure, and logs both', async () => {
  const { path, insert, start, lines } = await createFile();
  renameSync(path, `${path}.away`);
  const checkpointer = start();
  await until(() => checkpointer.failure() !== undefined);
  await until(() => checkpointer.overdueMs() > 0);
  renameSync(`${path}.away`, path);
  const { size } = statSync(path);
  for (let count = 0; count < 100; count++) insert();
  await until(() => statSync(path).size > size + 1_000_000);
  await until(() => lines.length === 2);
  expect(checkpointer.failure()).toBeUndefined();
  await until(() => checkpointer.overdueMs() === 0);
  expect(lines).toEqual([
    `warn: the write-ahead log is not being checkpointed: ${path} was deleted or moved away`,
    'info: the write-ahead log is being checkpointed again',
  ]);
});

it('restarts a thread that has ended, and logs only the first failure', async () => {
  const { folder, start, lines } = await createFile();
  const marks = `${folder}/marks`;
  // Counts its starts and fails; the third start succeeds.
  const program = programOf(`
    import { appendFileSync, readFileSync } from 'node:fs';
    import { parentPort } from 'node:worker_threads';
    appendFileSync(${JSON.stringify(marks)}, 'x');
    if (readFileSync(${JSON.stringify(marks)}).length < 3) throw new Error('too many open files');
    parentPort.postMessage({ failure: null });
    parentPort.once('message', () => undefined);
  `);
  const checkpointer = start({ program, restartDelayMs: 10 });
  await until(() => lines.length === 2);
  expect(readFileSync(marks, 'latin1')).toBe('xxx');
  expect(checkpointer.failure()).toBeUndefined();
  expect(lines).toEqual([
    'warn: the write-ahead log is not being checkpointed: too many open files',
    'info: the write-ahead log is being checkpointed again',
  ]);
});

it('stops immediately while waiting to restart its thread', async () => {
  const { start } = await createFile();
  const program = programOf('process.exit(3)');
  const checkpointer = start({ program, restartDelayMs: 10 ** 9 });
  await until(() => checkpointer.failure() === 'the thread exited with code 3');
  await checkpointer.stop();
});

it('works alongside other processes, reports only its own checkpoints, and loses no commit', async () => {
  const { path, insert, start, lines, checkpoints } = await createFile();
  const checkpointers = Array.from({ length: 8 }, () => start());
  let inserted = 0;
  for (; checkpoints.length < 50; inserted++) {
    insert();
    await sleep(1);
  }
  await Promise.all(checkpointers.map((checkpointer) => checkpointer.stop()));
  expect(Math.min(...checkpoints)).toBeGreaterThanOrEqual(0);
  // On a slow machine, a thread may time out waiting for a lock, and retry later.
  expect(lines.filter((line) => !/database is locked|into the database again/.test(line))).toEqual([]);
  expect(connectToSqlite(path).prepare('SELECT count(*) FROM plants').pluck().get()).toBe(inserted);
});

it.each([
  { when: 'once after the start', truncateIntervalMs: 0, isAsked: false },
  { when: 'at the end if the interval does not allow it earlier', truncateIntervalMs: 1e9, isAsked: true },
])('empties the log that others have open $when', async ({ truncateIntervalMs, isAsked }) => {
  const { start, logSize, insert, insertAndMove, checkpoints } = await createFile();
  insert();
  const checkpointer = start({ truncateIntervalMs });
  await until(() => logSize() === 0 && checkpoints.length > 0);
  if (isAsked) {
    insert();
    checkpointer.truncateLog();
  }
  await insertAndMove(3);
  expect(logSize()).toBeGreaterThan(0);
  await checkpointer.stop();
  expect(logSize() === 0).toBe(isAsked);
});

it('is overdue for as long as a reader keeps it from moving all of the log', async () => {
  const { path, insert, start } = await createFile();
  insert();
  const checkpointer = start();
  const reader = connectToSqlite(path);
  reader.exec('BEGIN; SELECT * FROM plants');
  await until(() => {
    insert();
    return checkpointer.overdueMs() > 0;
  });
  // The time counts from the first page that is left, regardless of later writes.
  const before = checkpointer.overdueMs();
  await until(() => {
    insert();
    return checkpointer.overdueMs() > before + 300;
  });
  reader.close();
  await until(() => checkpointer.overdueMs() === 0);
});

it('empties the log that others have open once a reader has ended', async () => {
  const { path, start, logSize, insert, checkpoints, lines } = await createFile();
  insert();
  const reader = connectToSqlite(path);
  reader.exec('BEGIN; SELECT * FROM plants');
  const checkpointer = start();
  await until(() => checkpoints.length > 0);
  insert();
  expect(logSize()).toBeGreaterThan(0);
  reader.close();
  await until(() => logSize() === 0);
  await checkpointer.stop();
  expect(lines).toEqual([]);
});
