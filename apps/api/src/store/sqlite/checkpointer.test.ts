import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { recordLog } from '../../../test/support/database/record-log.js';
import { temporaryFolder } from '../../../test/support/temporary-folder.js';
import { until } from '../../../test/support/until.js';
import type { Checkpoint } from '../../observe/metrics.js';
import { startCheckpointer } from './checkpointer.js';
import { identifyFiles } from './file-identity.js';
import { openSqlite } from './open-sqlite.js';

let folder = '';
let path = '';

let { log, lines } = recordLog();

beforeEach(() => {
  ({ log, lines } = recordLog());
  folder = temporaryFolder();
  path = join(folder, 'plant-store.db');
});

it('moves commits into the database file while it is open, and releases it', async () => {
  const database = await openSqlite(path);
  const size = statSync(path).size;
  const plants = Array.from({ length: 1_000 }, (_, index) => ({ id: BigInt(index), name: 'x'.repeat(100) }));
  await database.plants.create(plants);
  await until(() => statSync(path).size > size + 100_000);
  await database.close();
  expect(existsSync(`${path}-wal`)).toBe(false);
});

it('restarts the log under steady writing, again and again', async () => {
  await (await openSqlite(path)).close();
  const writer = new Sqlite(path);
  writer.pragma('wal_autocheckpoint = 0');
  const insert = writer.prepare('INSERT INTO plants (id, name) VALUES (?, ?)');
  let id = 0;
  insert.run(id, 'x');
  const checkpointer = startCheckpointer(identifyFiles(path), { log, restartPages: 100 });
  for (let restarts = 1; restarts <= 3; restarts++) {
    const before = readLogNumber();
    while (readLogNumber() === before) {
      id++;
      insert.run(id, 'x'.repeat(10_000));
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }
  writer.close();
  await checkpointer.stop();
});

it('blocks no writer while a reader uses an older snapshot', async () => {
  await (await openSqlite(path)).close();
  const writer = new Sqlite(path, { timeout: 0 });
  writer.pragma('wal_autocheckpoint = 0');
  const prepared = writer.prepare('INSERT INTO plants (id, name) VALUES (?, ?)');
  let id = 0;
  const insert = () => void prepared.run(id++, 'x'.repeat(10_000));
  for (let count = 0; count < 100; count++) insert();
  const reader = new Sqlite(path);
  reader.exec('BEGIN; SELECT * FROM plants');
  const size = statSync(path).size;
  const checkpointer = startCheckpointer(identifyFiles(path), { log, restartPages: 10 });
  // The first checkpoint moves what the reader sees; nothing else can be moved.
  await until(() => {
    insert();
    return statSync(path).size > size + 500_000;
  }, 1);
  // Several more checkpoints, each of a log beyond its limit.
  for (let count = 0; count < 500; count++) {
    insert();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  expect(lines).toEqual([]);
  reader.close();
  writer.close();
  await checkpointer.stop();
});

/** How often the log was restarted, from its header (https://www.sqlite.org/fileformat.html#walformat). */
function readLogNumber(): number {
  const header = Buffer.alloc(32);
  const file = openSync(`${path}-wal`, 'r');
  readSync(file, header);
  closeSync(file);
  return header.readUInt32BE(12);
}

it('recovers by itself after a failure that passes, and logs both', async () => {
  // An open database that stores nothing starts no checkpointer.
  const database = await openSqlite(path);
  const files = identifyFiles(path);
  renameSync(path, `${path}.away`);
  const checkpointer = startCheckpointer(files, { log });
  await until(() => checkpointer.failure() !== undefined);
  renameSync(`${path}.away`, path);
  const size = statSync(path).size;
  const writer = new Sqlite(path);
  writer.pragma('wal_autocheckpoint = 0');
  const insert = writer.prepare('INSERT INTO plants (id, name) VALUES (?, ?)');
  for (let id = 0; id < 100; id++) insert.run(id, 'x'.repeat(10_000));
  await until(() => statSync(path).size > size + 1_000_000);
  await until(() => lines.length === 2);
  expect(checkpointer.failure()).toBeUndefined();
  expect(lines).toEqual([
    `warn: the write-ahead log is not moved into the database: ${path} was deleted or moved away`,
    'info: the write-ahead log is moved into the database again',
  ]);
  writer.close();
  await checkpointer.stop();
  await database.close();
});

it('leaves the log alone if another file is at the path when its thread opens it', async () => {
  const database = await openSqlite(path);
  const files = identifyFiles(path);
  copyFileSync(path, `${path}.other`);
  // Replaces the file as soon as the thread has found all three files in place.
  const program = new URL(
    `data:text/javascript,${encodeURIComponent(`
      import fs from 'node:fs';
      import { syncBuiltinESMExports } from 'node:module';
      const { renameSync, statSync } = fs;
      const path = ${JSON.stringify(path)};
      fs.statSync = (...parameters) => {
        const result = statSync(...parameters);
        if (parameters[0] === path + '-shm') {
          renameSync(path, path + '.away');
          renameSync(path + '.other', path);
          fs.statSync = statSync;
          syncBuiltinESMExports();
        }
        return result;
      };
      syncBuiltinESMExports();
      await import(${JSON.stringify(new URL('./checkpoint-worker.js', import.meta.url).href)});
    `)}`,
  );
  const checkpointer = startCheckpointer(files, { log, program });
  await until(() => checkpointer.failure() !== undefined);
  expect(checkpointer.failure()).toBe(`${path} was replaced by another file`);
  renameSync(`${path}.away`, path);
  await until(() => checkpointer.failure() === undefined);
  expect(identifyFiles(path)).toEqual(files);
  await checkpointer.stop();
  await database.close();
});

it('restarts a thread that has ended, and logs only the first failure', async () => {
  const database = await openSqlite(path);
  const marks = join(folder, 'marks');
  // Counts its starts and fails; the third start succeeds.
  const program = new URL(
    `data:text/javascript,${encodeURIComponent(`
      import { appendFileSync, readFileSync } from 'node:fs';
      import { parentPort } from 'node:worker_threads';
      appendFileSync(${JSON.stringify(marks)}, 'x');
      if (readFileSync(${JSON.stringify(marks)}).length < 3) throw new Error('too many open files');
      parentPort.postMessage({ failure: null });
      parentPort.once('message', () => undefined);
    `)}`,
  );
  const restartDelaysMs = { first: 10, longest: 20 };
  const checkpointer = startCheckpointer(identifyFiles(path), { log, program, restartDelaysMs });
  await until(() => lines.length === 2);
  expect(readFileSync(marks, 'latin1')).toBe('xxx');
  expect(checkpointer.failure()).toBeUndefined();
  expect(lines).toEqual([
    'warn: the write-ahead log is not moved into the database: too many open files',
    'info: the write-ahead log is moved into the database again',
  ]);
  await checkpointer.stop();
  await database.close();
});

it('stops immediately while it waits to restart its thread', async () => {
  const database = await openSqlite(path);
  const program = new URL('data:text/javascript,process.exit(3)');
  const restartDelaysMs = { first: 10 ** 9, longest: 10 ** 9 };
  const checkpointer = startCheckpointer(identifyFiles(path), { log, program, restartDelaysMs });
  await until(() => checkpointer.failure() === 'the thread ended with 3');
  await checkpointer.stop();
  await database.close();
});

it('moves commits beside those of other processes, and reports no checkpoint that another one was making', async () => {
  await (await openSqlite(path)).close();
  const writer = new Sqlite(path);
  writer.pragma('wal_autocheckpoint = 0');
  const insert = writer.prepare('INSERT INTO plants (id, name) VALUES (?, ?)');
  insert.run(0, 'x');
  const logPages: number[] = [];
  const options = { log, onCheckpoint: (checkpoint: Checkpoint) => void logPages.push(checkpoint.logPages) };
  const checkpointers = Array.from({ length: 8 }, () => startCheckpointer(identifyFiles(path), options));
  for (let id = 1; logPages.length < 100; id++) {
    insert.run(id, 'x'.repeat(10_000));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  const stored = writer.prepare('SELECT count(*) FROM plants').pluck().get() as number;
  writer.close();
  await Promise.all(checkpointers.map((checkpointer) => checkpointer.stop()));
  expect(Math.min(...logPages)).toBeGreaterThanOrEqual(0);
  expect(lines).toEqual([]);
  const reader = new Sqlite(path, { readonly: true });
  expect(reader.prepare('SELECT count(*) FROM plants').pluck().get()).toBe(stored);
  reader.close();
});

it('loses no commit when it is stopped', async () => {
  const database = await openSqlite(path);
  await database.plants.create([{ id: 1n, name: 'x' }]);
  const checkpointer = startCheckpointer(identifyFiles(path), { log });
  await database.plants.create([{ id: 2n, name: 'y' }]);
  await checkpointer.stop();
  await database.close();
  const reader = new Sqlite(path, { readonly: true });
  expect(reader.prepare('SELECT count(*) FROM plants').pluck().get()).toBe(2);
  reader.close();
});

describe('the log of a database that others have open', () => {
  let writer: Sqlite.Database;
  let moved = 0;
  const options = () => ({ log, onCheckpoint: () => moved++ });
  const logSize = () => statSync(`${path}-wal`).size;
  let inserts = 0;
  // Each adds another number of pages, so that a checkpoint finds another log than before.
  const insert = () =>
    void writer.prepare('INSERT INTO plants (name) VALUES (?)').run('x'.repeat(10_000 * ++inserts));
  const insertAndMove = async (times: number) => {
    for (let count = 0; count < times; count++) {
      const before = moved;
      insert();
      await until(() => moved > before);
    }
  };

  beforeEach(async () => {
    moved = 0;
    await (await openSqlite(path)).close();
    writer = new Sqlite(path);
    writer.pragma('wal_autocheckpoint = 0');
    insert();
  });
  afterEach(() => void writer.close());

  it('is emptied once after the start', async () => {
    const checkpointer = startCheckpointer(identifyFiles(path), { ...options(), truncateIntervalMs: 0 });
    await until(() => logSize() === 0);
    await insertAndMove(3);
    await checkpointer.stop();
    expect(logSize()).toBeGreaterThan(0);
  });

  it('is emptied when it is to be, but not again at once, and at the end', async () => {
    const checkpointer = startCheckpointer(identifyFiles(path), {
      ...options(),
      truncateIntervalMs: 10 ** 9,
    });
    await until(() => logSize() === 0);
    insert();
    checkpointer.truncateLog();
    await insertAndMove(3);
    expect(logSize()).toBeGreaterThan(0);
    await checkpointer.stop();
    expect(logSize()).toBe(0);
  });

  it('is emptied once a reader has ended', async () => {
    const reader = new Sqlite(path);
    reader.exec('BEGIN; SELECT * FROM plants');
    const checkpointer = startCheckpointer(identifyFiles(path), options());
    await until(() => moved > 0);
    insert();
    expect(logSize()).toBeGreaterThan(0);
    reader.close();
    await until(() => logSize() === 0);
    await checkpointer.stop();
    expect(lines).toEqual([]);
  });
});
