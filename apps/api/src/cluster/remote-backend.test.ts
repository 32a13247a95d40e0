import { expect, it } from 'vitest';
import type { PrimaryCalls } from './calls.js';
import type { Channel } from './channel.js';
import { createRemoteDatabase } from './remote-backend.js';

const fern = { id: 1n, name: 'Fern' };
const ivy = { id: 2n ** 63n - 1n, name: 'Ivy', tag: 'climber' };
const limits = { plants: 1, bytes: 1_000 };

/** A database over a channel that answers with what `answer` returns, and notes the calls. */
function openOver(answer: (name: string, argument: unknown) => unknown) {
  const calls: unknown[][] = [];
  const primary = {
    call: async (name: string, argument: unknown) => {
      calls.push([name, argument]);
      return answer(name, argument);
    },
    close: () => undefined,
  } as Channel<PrimaryCalls>;
  return { database: createRemoteDatabase(primary), calls };
}

it('inserts a batch with one call: all plants were stored, or some ids were taken', async () => {
  const { database, calls } = openOver(() => undefined);
  expect(await database.plants.insert([fern, ivy])).toEqual([{ stored: true }, { stored: true }]);
  expect(calls).toEqual([['insert', [fern, ivy]]]);

  const taken = openOver(() => [null, fern]).database;
  expect(await taken.plants.insert([ivy, fern])).toEqual([
    { stored: true },
    { stored: false, existing: fern },
  ]);
});

it('reads page by page, each after the last plant of the one before', async () => {
  const pages = [[fern], [ivy], []];
  const { database, calls } = openOver(() => pages.shift());
  const read = [];
  for await (const page of database.plants.read(undefined, limits)) read.push(...page);
  expect(read).toEqual([fern, ivy]);
  expect(calls).toEqual([
    ['readPage', { after: undefined, limits }],
    ['readPage', { after: fern.id, limits }],
    ['readPage', { after: ivy.id, limits }],
  ]);
});
