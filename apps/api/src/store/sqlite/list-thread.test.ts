import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { openSqliteFile } from '../../../test/support/database/open-sqlite-file.js';
import { temporaryFolder } from '../../../test/support/temporary-folder.js';
import { plantTable } from '../../plants/plant-store.js';
import type { ListQuery } from '../store.js';
import type { DatabaseFiles } from './file-identity.js';
import { createListThread } from './list-thread.js';

const files = {} as DatabaseFiles;
const row: Record<string, unknown> = { id: 7n, name: 'Fern', deleted: 0n };
const listed = { columns: plantTable.columns.map((column) => [row[column] ?? null]), last: undefined };

/** A thread that hangs in its first reads, of as many threads as the number says, and then answers. */
function createHangingThread(hanging: number, timeoutMs: number) {
  const program = join(temporaryFolder(), 'program.mjs');
  const counter = new Int32Array(new SharedArrayBuffer(4));
  writeFileSync(
    program,
    `import { parentPort, workerData } from 'node:worker_threads';
const { counter, hanging, listed } = workerData.files;
const number = Atomics.add(counter, 0, 1);
parentPort.on('message', (request) => {
  if (request === null) return parentPort.close();
  // As a system call of a disk that does not answer; until the test ends it.
  if (number < hanging) Atomics.wait(counter, 0, hanging);
  if (number < hanging) while (Atomics.load(counter, 0) < 100) Atomics.wait(counter, 0, Atomics.load(counter, 0));
  parentPort.postMessage({ listed });
});`,
  );
  const thread = createListThread(Object.assign(files, { counter, hanging, listed }), plantTable, {
    timeoutMs,
    program: pathToFileURL(program),
  });
  const letGo = () => {
    Atomics.store(counter, 0, 100);
    Atomics.notify(counter, 0);
  };
  const list = () => thread.list({ order: 'id' }, { matches: 1, plants: 1, bytes: 1 });
  return { thread, list, letGo, started: () => Atomics.load(counter, 0) };
}

it('reads the next list in another thread when one hangs, which ends once it goes on', async () => {
  const { thread, list, letGo } = createHangingThread(1, 5_000);
  const [first, second] = [list(), list()];
  await expect(first).rejects.toMatchObject({ errorName: 'database_unavailable' });
  expect(await second).toEqual({ plants: [{ id: 7n, name: 'Fern' }], last: undefined });
  letGo();
  await thread.close();
});

it('starts no further thread while several hang', async () => {
  const { thread, list, letGo, started } = createHangingThread(50, 200);
  const results = await Promise.allSettled([list(), list(), list(), list(), list()]);
  expect(results).toMatchObject(Array(5).fill({ reason: { errorName: 'database_unavailable' } }));
  // One that was given up may not have begun yet.
  await expect.poll(started).toBe(3);
  letGo();
  await thread.close();
});

const noTime = { matches: 100, plants: 10_000, bytes: 2 ** 22, durationMs: 0 };

/** Opens a store with so many plants, by ascending ids from 1. */
async function openWith(count: number, plantOf: (index: number) => { name: string; tag?: string }) {
  const { store } = await openSqliteFile();
  await store.create(
    Array.from({ length: count }, (_, index) => ({ id: BigInt(index + 1), ...plantOf(index) })),
  );
  return store;
}

it.each([
  { length: 'long', name: 'x'.repeat(70_000), count: 20, found: [1n, 1n, 1n] },
  { length: 'short', name: 'Fern', count: 1_200, found: [100n, 500n, 100n] },
])(
  'looks at the time after each $length text, or some, with a filter after a part',
  async ({ name, count, found }) => {
    const store = await openWith(count, () => ({ name }));
    const last = async (query: Omit<ListQuery, 'order'>) =>
      (await store.list({ order: 'id', ...query }, noTime)).last?.id;
    expect([await last({}), await last({ q: 'nowhere' }), await last({ q: name.slice(1, 3) })]).toEqual(
      found,
    );
  },
);

it('passes over plants of which none matches, up to those that do', async () => {
  const store = await openWith(1_300, (index) => ({
    name: 'Fern',
    tag: index % 600 === 599 ? 'rare' : 'often',
  }));
  const list = async (matches: number, after?: bigint) => {
    const { plants, last } = await store.list(
      { order: 'id', equal: { tag: 'rare' }, after: after === undefined ? undefined : { id: after } },
      { ...noTime, durationMs: 60_000, matches },
    );
    return [plants.map(({ id }) => id), last?.id];
  };
  expect(await list(10)).toEqual([[600n, 1_200n], undefined]);
  expect(await list(1)).toEqual([[600n], 600n]);
  expect(await list(1, 600n)).toEqual([[1_200n], 1_200n]);
  expect(await list(1, 1_200n)).toEqual([[], undefined]);
});
