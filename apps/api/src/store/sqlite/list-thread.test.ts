import type { ListQuery } from '@plant-store/records';
import { expect, it } from 'vitest';
import { openSqliteFile } from '../../../test/support/database/open-sqlite-file.js';
import { plantTable } from '../../../test/support/plants/plants-of.js';
import type { Table } from '../table.js';
import type { DatabaseFiles } from './file-identity.js';
import { createListThread } from './list-thread.js';

const row: Record<string, unknown> = { id: 7n, '"name"': 'Fern', deleted: 0n };
const listed = { columns: plantTable.columns.map((column) => [row[column] ?? null]), last: undefined };
/** The program of threads that hang when they read, a given number of times, and then answer. */
const hangingProgram = `
  import { parentPort, workerData } from 'node:worker_threads';
  const { counter, hanging, listed } = workerData.files;
  const number = Atomics.add(counter, 0, 1);
  parentPort.on('message', (request) => {
    if (request === null) return parentPort.close();
    // Simulates a system call that hangs, until the test ends it.
    if (number < hanging) while (Atomics.load(counter, 0) < 100) Atomics.wait(counter, 0, Atomics.load(counter, 0));
    parentPort.postMessage({ read: listed });
  });`;

function createHangingThread(hanging: number, timeoutMs: number) {
  const counter = new Int32Array(new SharedArrayBuffer(4));
  const files = { counter, hanging, listed } as unknown as DatabaseFiles;
  const program = new URL(`data:text/javascript,${encodeURIComponent(hangingProgram)}`);
  const thread = createListThread(files, [plantTable as unknown as Table], { timeoutMs, program });
  const letGo = () => {
    Atomics.store(counter, 0, 100);
    Atomics.notify(counter, 0);
  };
  const list = () => thread.reader(plantTable).list({ order: 'id' }, { matches: 1, bytes: 1 });
  return { thread, list, letGo, started: () => Atomics.load(counter, 0) };
}

it('reads the next list in another thread when one hangs, and ends the hanging thread when it continues', async () => {
  const { thread, list, letGo } = createHangingThread(1, 5_000);
  const [first, second] = [list(), list()];
  await expect(first).rejects.toMatchObject({ errorName: 'database_unavailable' });
  expect(await second).toEqual({ records: [{ id: 7n, name: 'Fern' }], last: undefined });
  letGo();
  await thread.close();
});

it('starts no further thread while several hang', async () => {
  const { thread, list, letGo, started } = createHangingThread(50, 200);
  const results = await Promise.allSettled([list(), list(), list(), list(), list()]);
  expect(results).toMatchObject(Array(5).fill({ reason: { errorName: 'database_unavailable' } }));
  // A thread that was given up may not have started yet.
  await expect.poll(started).toBe(3);
  letGo();
  await thread.close();
});

const noTime = { matches: 1_000, bytes: 2 ** 22, durationMs: 0 };

/** Opens a store with a number of plants, with ids from 1. */
async function openWith(count: number, plantOf: (id: number) => { name: string; tag?: string }) {
  const { store } = await openSqliteFile();
  const ids = Array.from({ length: count }, (_, index) => index + 1);
  await store.create(ids.map((id) => ({ id: BigInt(id), ...plantOf(id) })));
  return store;
}

it('skips plants that do not match', async () => {
  const store = await openWith(1_300, (id) => ({ name: 'Fern', tag: id % 600 === 0 ? 'rare' : 'often' }));
  const list = async (matches: number, id?: bigint) => {
    const query: ListQuery = { order: 'id', equal: { tag: ['rare'] }, after: id ? { id } : undefined };
    const { records: plants, last } = await store.list(query, { ...noTime, durationMs: 60_000, matches });
    return [plants.map(({ id }) => id), last?.id];
  };
  expect(await list(10)).toEqual([[600n, 1_200n], undefined]);
  expect(await list(1)).toEqual([[600n], 600n]);
  expect(await list(1, 600n)).toEqual([[1_200n], undefined]);
  expect(await list(1, 1_200n)).toEqual([[], undefined]);
});

it('stops at the time limit where nothing matches, and continues from there', async () => {
  const store = await openWith(1_200, () => ({ name: 'Färn' }));
  const ends: (bigint | undefined)[] = [];
  let id: bigint | undefined;
  do {
    const query: ListQuery = { order: 'id', q: 'nowhere', after: id ? { id } : undefined };
    const { last, isLate = false } = await store.list(query, noTime);
    expect(isLate).toBe(last !== undefined);
    id = last?.id;
    ends.push(id);
  } while (id !== undefined);
  expect(ends).toEqual([...Array.from({ length: 12 }, (_, page) => BigInt(100 * (page + 1))), undefined]);
});
