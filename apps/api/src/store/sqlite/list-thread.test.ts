import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.js';
import { plantTable } from '../../plants/plant-store.js';
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
