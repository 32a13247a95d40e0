import { expect, it, onTestFinished, vi } from 'vitest';
import { databaseUnavailable } from '../../database.js';
import { createWriteByNode } from './open-citus.js';

/** An outage as `transact` converts an error of the server with this SQLSTATE. */
function outage(code: string) {
  const cause = Object.assign(new Error('the server'), { severity: 'ERROR', code });
  return databaseUnavailable(new Error(code, { cause }));
}

/** Writes numbers, of which even ones are on node 2 and odd ones on node 1; `failWith` says how a statement ends. */
function createTestWrite(failWith: (ids: readonly bigint[]) => Error | undefined | Promise<undefined>) {
  const statements: bigint[][] = [];
  const away = new Set<number | undefined>();
  const writeByNode = createWriteByNode(
    {
      failingShare: () => away.size / 2,
      refusalOf: async (group) => (away.has(group) ? outage('08006') : undefined),
      checkAll: async () => undefined,
    },
    async (ids) => new Map(ids.map((id) => [id, id % 2n === 0n ? 2 : 1])),
  );
  const write = writeByNode<bigint, string>(
    async (ids) => {
      statements.push([...ids]);
      const error = await failWith(ids);
      if (error !== undefined) throw error;
      return ids.map((id) => `wrote ${id}`);
    },
    (id) => id,
  );
  return { write, statements, away };
}

it('sends a statement that failed again by node, so that the items of one alone are refused', async () => {
  const away = outage('08006');
  const { write, statements } = createTestWrite((ids) => (ids.includes(2n) ? away : undefined));
  expect(await write([1n, 2n, 3n])).toEqual(['wrote 1', away, 'wrote 3']);
  expect(statements).toEqual([[1n, 2n, 3n], [1n, 3n], [2n]]);
});

it.each(['40003', '57014'])('sends nothing again that may have been stored: %s', async (code) => {
  const unknown = outage(code);
  const { write, statements } = createTestWrite(() => unknown);
  expect(await write([1n, 2n])).toEqual([unknown, unknown]);
  expect(statements).toHaveLength(1);
});

it('throws what rejects an item once the statements of all nodes have ended', async () => {
  const rejected = new Error('this row violates a constraint');
  let hasEnded = false;
  const { write } = createTestWrite(async (ids) => {
    if (ids.length > 1) throw outage('08006');
    if (ids[0] === 1n) throw rejected;
    await new Promise(setImmediate);
    hasEnded = true;
    return undefined;
  });
  await expect(write([1n, 2n])).rejects.toBe(rejected);
  expect(hasEnded).toBe(true);
});

it('sends items alone whose statement has timed out, all of them in turn, and together again once they are answered', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let hangs = true;
  const { write, statements } = createTestWrite(() => (hangs ? outage('57014') : undefined));
  const ids = Array.from({ length: 10 }, (_, id) => BigInt(id));
  const wrote = ids.map((id) => `wrote ${id}`);
  await write(ids);
  hangs = false;
  const alone = write(ids);
  await vi.advanceTimersByTimeAsync(500);
  expect(await alone).toEqual(wrote);
  expect(statements.slice(1)).toEqual(ids.map((id) => [id]));
  expect(await write(ids)).toEqual(wrote);
  expect(statements.at(-1)).toEqual(ids);
});

it('tries few of the items alone at a time, and refuses those that take long', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const { write, statements } = createTestWrite((ids) =>
    ids.length > 1 ? outage('57014') : new Promise<undefined>(() => undefined),
  );
  const ids = Array.from({ length: 10 }, (_, id) => BigInt(id));
  await write(ids);
  for (let time = 0; time < 3; time++) {
    const refused = write(ids);
    await vi.advanceTimersByTimeAsync(600);
    expect(await refused).toEqual(
      ids.map(() => expect.objectContaining({ errorName: 'database_unavailable' })),
    );
  }
  expect(statements).toEqual([ids, [0n], [1n], [2n]]);
});

it('sends nothing for a node that is away', async () => {
  const { write, statements, away } = createTestWrite(() => undefined);
  away.add(2);
  expect(await write([1n, 2n, 3n, 4n])).toEqual(['wrote 1', outage('08006'), 'wrote 3', outage('08006')]);
  expect(statements).toEqual([[1n, 3n]]);
});
