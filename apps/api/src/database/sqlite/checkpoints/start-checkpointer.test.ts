import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { DatabaseLog, LogFields } from '../../database.js';
import { processWarnings } from '../../process-warnings.js';
import { identifyFiles } from '../file-identity.js';
import { openSqlite } from '../open-sqlite.js';
import { startCheckpointer } from './start-checkpointer.js';

let folder = '';
let path = '';

/** What was logged, as `level: message: cause`. */
let lines: string[] = [];
const log: DatabaseLog = { info: write('info'), warn: write('warn'), error: write('error') };

function write(level: string) {
  return ({ err }: LogFields, message: string) => {
    lines.push([level, message, ...(err === undefined ? [] : [err.message])].join(': '));
  };
}

beforeEach(() => {
  lines = [];
  folder = mkdtempSync(join(tmpdir(), 'plant-store-test-'));
  path = join(folder, 'plant-store.db');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

it('moves commits into the database file while it is open, and lets go of it', async () => {
  const database = await openSqlite(path, processWarnings);
  const size = statSync(path).size;
  const plants = Array.from({ length: 1_000 }, (_, index) => ({ id: BigInt(index), name: 'x'.repeat(100) }));
  await database.plants.insert(plants);
  await vi.waitUntil(() => statSync(path).size > size + 100_000, { timeout: 30_000 });
  await database.close();
  expect(existsSync(`${path}-wal`)).toBe(false);
});

it('starts the log anew under steady writing, again and again', async () => {
  await (await openSqlite(path, processWarnings)).close();
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

it('holds up no writer while somebody reads an older state', async () => {
  await (await openSqlite(path, processWarnings)).close();
  const writer = new Sqlite(path, { timeout: 0 });
  writer.pragma('wal_autocheckpoint = 0');
  const insert = writer.prepare('INSERT INTO plants (id, name) VALUES (?, ?)');
  insert.run(0, 'x');
  const reader = new Sqlite(path);
  reader.exec('BEGIN; SELECT * FROM plants');
  const checkpointer = startCheckpointer(identifyFiles(path), { log, restartPages: 10 });
  // Several rounds of the checkpointer, each with a log that is past its limit.
  for (let id = 1; id <= 500; id++) {
    insert.run(id, 'x'.repeat(10_000));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  reader.close();
  writer.close();
  await checkpointer.stop();
});

/** How often the log was started anew, as its header says (https://www.sqlite.org/fileformat.html#walformat). */
function readLogNumber(): number {
  const header = Buffer.alloc(32);
  const file = openSync(`${path}-wal`, 'r');
  readSync(file, header);
  closeSync(file);
  return header.readUInt32BE(12);
}

it('comes back by itself after a failure that passes, and logs both', async () => {
  // One that is open but stores nothing starts no thread of its own.
  const database = await openSqlite(path, processWarnings);
  const files = identifyFiles(path);
  renameSync(path, `${path}.away`);
  const checkpointer = startCheckpointer(files, { log });
  await vi.waitUntil(() => checkpointer.failure() !== undefined, { timeout: 30_000 });
  renameSync(`${path}.away`, path);
  const size = statSync(path).size;
  const writer = new Sqlite(path);
  writer.pragma('wal_autocheckpoint = 0');
  const insert = writer.prepare('INSERT INTO plants (id, name) VALUES (?, ?)');
  for (let id = 0; id < 100; id++) insert.run(id, 'x'.repeat(10_000));
  await vi.waitUntil(() => statSync(path).size > size + 1_000_000, { timeout: 30_000 });
  await vi.waitUntil(() => lines.length === 2, { timeout: 30_000 });
  expect(checkpointer.failure()).toBeUndefined();
  expect(lines).toEqual([
    `warn: the write-ahead log is not moved into the database: ${path} was deleted or moved away`,
    'info: the write-ahead log is moved into the database again',
  ]);
  writer.close();
  await checkpointer.stop();
  await database.close();
});

it('starts a thread again that has ended, and logs the first failure alone', async () => {
  const database = await openSqlite(path, processWarnings);
  const marks = join(folder, 'marks');
  // Counts its starts, reports one success, and ends; the third start stays.
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
  await vi.waitUntil(() => lines.length === 2, { timeout: 30_000 });
  expect(readFileSync(marks, 'latin1')).toBe('xxx');
  expect(checkpointer.failure()).toBeUndefined();
  expect(lines).toEqual([
    'warn: the write-ahead log is not moved into the database: too many open files',
    'info: the write-ahead log is moved into the database again',
  ]);
  await checkpointer.stop();
  await database.close();
});

it('stops at once while it waits to start its thread again', async () => {
  const database = await openSqlite(path, processWarnings);
  const program = new URL('data:text/javascript,process.exit(3)');
  const restartDelaysMs = { first: 10 ** 9, longest: 10 ** 9 };
  const checkpointer = startCheckpointer(identifyFiles(path), { log, program, restartDelaysMs });
  await vi.waitUntil(() => checkpointer.failure() === 'the thread ended with 3', { timeout: 30_000 });
  await checkpointer.stop();
  await database.close();
});

it('leaves no commit behind when it is cut off', async () => {
  const database = await openSqlite(path, processWarnings);
  await database.plants.insert([{ id: 1n, name: 'x' }]);
  const checkpointer = startCheckpointer(identifyFiles(path), { log });
  await database.plants.insert([{ id: 2n, name: 'y' }]);
  await checkpointer.stop();
  await database.close();
  const reader = new Sqlite(path, { readonly: true });
  expect(reader.prepare('SELECT count(*) FROM plants').pluck().get()).toBe(2);
  reader.close();
});
