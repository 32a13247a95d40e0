import { internalError, ServiceError } from '@plant-store/records';
import { expect, it } from 'vitest';

import { readId, runBatch } from './run-batch.js';

const awaitTurn = async (left: number) => left;

it('gives others their turn between some items and the next ones, without waiting for them', async () => {
  /** How many were left, and how many had been begun, at each turn. */
  const turns: number[][] = [];
  let begun = 0;
  const takeTen = async (left: number) => {
    turns.push([left, begun]);
    return Math.min(left, 10);
  };
  const all = Promise.withResolvers<void>();
  const items = Array.from({ length: 25 }, (_, at) => at);
  const results = await runBatch({ items, caller: 1, awaitTurn: takeTen }, async (item) => {
    if (++begun === 25) all.resolve();
    await all.promise;
    return item;
  });
  expect(results).toEqual(items);
  expect(turns).toEqual([
    [25, 0],
    [15, 10],
    [5, 20],
  ]);
});

it('returns what an item is rejected with, and for an unknown error an internal one with its cause', async () => {
  const [taken, cause] = [new ServiceError('id_taken', 'taken'), new Error('unknown')];
  const run = async (item: unknown) => {
    if (item instanceof Error) throw item;
    return item;
  };
  const results = await runBatch({ items: [taken, cause, 7], caller: 1, awaitTurn }, run);
  expect(results).toEqual([taken, internalError(cause), 7]);
  expect(results[1]).toMatchObject({ cause });
});

it('reads the digits of an id alone', () => {
  expect(readId('9007199254740993')).toBe(9007199254740993n);
  for (const other of [7, 7n, '07', null])
    expect(() => readId(other)).toThrow('in its shortest decimal notation');
});
