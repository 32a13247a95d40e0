import { expect, it } from 'vitest';
import { plantTable } from '../../../test/support/plants/plants-of.js';
import type { Table } from '../table.js';
import type { DatabaseFiles } from './file-identity.js';
import { createListThread } from './list-thread.js';

const row: Record<string, unknown> = { id: 7n, '"name"': 'Fern', deleted: 0n };
const listed = { columns: plantTable.columns.map((column) => [row[column] ?? null]), last: undefined };
/** The program of threads, of which the first one hangs when it reads. */
const program = `
  import { parentPort, workerData } from 'node:worker_threads';
  const { counter, listed } = workerData.files;
  const isFirst = Atomics.add(counter, 0, 1) === 0;
  parentPort.on('message', (request) => {
    if (request === null) return parentPort.close();
    if (isFirst) Atomics.wait(counter, 1, 0);
    parentPort.postMessage({ read: listed });
  });`;

it('reads the next list in another thread when one hangs', async () => {
  const counter = new Int32Array(new SharedArrayBuffer(8));
  const files = { counter, listed } as unknown as DatabaseFiles;
  const thread = createListThread(files, [plantTable as unknown as Table], {
    timeoutMs: 5_000,
    program: new URL(`data:text/javascript,${encodeURIComponent(program)}`),
  });
  const list = () => thread.reader(plantTable).list({ order: 'id' }, { matches: 1, bytes: 1 });
  const [first, second] = [list(), list()];
  await expect(first).rejects.toMatchObject({ errorName: 'database_unavailable' });
  expect(await second).toEqual({ records: [{ id: 7n, name: 'Fern' }], last: undefined });
  expect(counter[0]).toBe(2);
  await thread.close();
});
