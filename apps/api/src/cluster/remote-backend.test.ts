import { expect, it } from 'vitest';
import { highBatcherLimits, oneCaller } from '../../test/support/plants/create-test-store.js';
import type { PrimaryCalls } from './calls.js';
import type { Channel } from './channel.js';
import { createRemoteDatabase } from './remote-backend.js';

const fern = { id: 1n, name: 'Fern' };
const ivy = { id: 2n ** 63n - 1n, name: 'Ivy', tag: 'climber' };
const options = { limits: highBatcherLimits, callers: oneCaller, failingAfterMs: 1_000 };

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
  const { plants } = database.openWriter(options);
  expect(await Promise.all([plants.write(fern, 1), plants.write(ivy, 1)])).toEqual([
    { stored: true },
    { stored: true },
  ]);
  expect(calls).toEqual([['insert', [fern, ivy]]]);

  const taken = openOver(() => [null, fern]).database.openWriter(options).plants;
  expect(await Promise.all([taken.write(ivy, 1), taken.write(fern, 1)])).toEqual([
    { stored: true },
    { stored: false, existing: fern },
  ]);
});

it('finds and lists plants with one call each', async () => {
  const answers = { find: [fern], list: { plants: [ivy], last: undefined } };
  const { database, calls } = openOver((name) => answers[name as keyof typeof answers]);
  expect(await database.plants.find([fern.id])).toEqual(answers.find);
  const [query, limits] = [{ order: 'id' } as const, { matches: 1, plants: 1, bytes: 1 }];
  expect(await database.plants.list(query, limits)).toEqual(answers.list);
  expect(calls).toEqual([
    ['find', [fern.id]],
    ['list', { query, limits }],
  ]);
});
