import { expect, it } from 'vitest';
import { type ReadLimits, readBatches } from './import.js';

const limits = { fromLine: 1, lineBytes: 100, batchLines: 100, batchBytes: 10_000 };
const line = (id: number) => `{"id":${id},"name":"x"}`;

/** The numbers of the lines in each batch. */
async function readNumbers(lines: readonly string[], changes: Partial<ReadLimits>) {
  async function* chunks() {
    yield Buffer.from(lines.join('\n'));
  }
  const batches: number[][] = [];
  for await (const batch of readBatches(chunks(), { ...limits, ...changes }))
    batches.push(batch.map(({ number }) => number));
  return batches;
}

it('ends a batch at its limit in lines, bad ones included', async () => {
  expect(await readNumbers([line(1), 'bad', line(3), line(4), line(5)], { batchLines: 2 })).toEqual([
    [1, 2],
    [3, 4],
    [5],
  ]);
});

it('ends a batch at its limit in bytes, with one line at least', async () => {
  const { length } = line(1);
  expect(await readNumbers([line(1), line(2), line(3)], { batchBytes: 2 * length })).toEqual([[1, 2], [3]]);
  expect(await readNumbers([line(1), line(2)], { batchBytes: 1 })).toEqual([[1], [2]]);
});

it('skips blank lines, but counts them in the line numbers', async () => {
  expect(await readNumbers(['', line(1), ' \r', line(2), ''], {})).toEqual([[2, 4]]);
  expect(await readNumbers(['', '\t'], {})).toEqual([]);
});

it('begins at the given line', async () => {
  const lines = [line(1), 'bad', line(3), line(4)];
  expect(await readNumbers(lines, { fromLine: 3 })).toEqual([[3, 4]]);
  expect(await readNumbers(lines, { fromLine: 5 })).toEqual([]);
});

it('rejects a line that is longer than the limit, and no other', async () => {
  async function* chunks() {
    yield Buffer.from(`${line(10)}\n${line(1)}\n`);
  }
  const batches = readBatches(chunks(), { ...limits, lineBytes: line(1).length });
  const { value } = await batches.next();
  expect(value).toEqual([
    { number: 1, reason: `The line is longer than ${line(1).length} bytes.` },
    { number: 2, plant: { id: 1n, name: 'x' } },
  ]);
});
