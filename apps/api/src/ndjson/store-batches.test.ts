import type { NewPlant } from '@plant-store/contract';
import { expect, it, vi } from 'vitest';
import type { InsertOutcome } from '../plants/plant-store.js';
import type { Batch } from './read-batches.js';
import type { PlantLine } from './read-plant-line.js';
import { type BatchOutcome, storeBatches } from './store-batches.js';

/** A store whose inserts are settled one by one, by the test. */
function createManualStore() {
  const existing = new Map<bigint, NewPlant>();
  const waiting: { ids: bigint[]; succeed(): void; fail(error: Error): void }[] = [];
  function store(plant: NewPlant): InsertOutcome {
    const other = existing.get(plant.id);
    if (other !== undefined) return { stored: false, existing: other };
    existing.set(plant.id, plant);
    return { stored: true };
  }
  return {
    existing,
    waiting,
    insert: (plants: readonly NewPlant[]) =>
      new Promise<readonly InsertOutcome[]>((resolve, reject) => {
        const ids = plants.map(({ id }) => id);
        waiting.push({ ids, succeed: () => resolve(plants.map(store)), fail: reject });
      }),
    /** Waits for the inserts with these ids to be under way, all of them and no other. */
    expectWaiting: async (...expected: bigint[][]) => {
      await new Promise(setImmediate);
      expect(waiting.map(({ ids }) => ids)).toEqual(expected);
    },
  };
}

const plant = (id: number, name = 'x') => ({ plant: { id: BigInt(id), name } });

/** Batches of lines, numbered on and on. */
async function* batchesOf(...batches: PlantLine[][]) {
  let number = 1;
  for (const batch of batches) {
    const lines = batch.map((line) => ({ number: number++, ...line }));
    yield { lines, nextLine: number } satisfies Batch;
  }
}

function collect(outcomes: AsyncIterable<BatchOutcome>) {
  const collected: BatchOutcome[] = [];
  const done = (async () => {
    for await (const outcome of outcomes) collected.push(outcome);
  })();
  done.catch(() => undefined);
  return { collected, done };
}

it('tells new plants, plants that were there, and bad lines in their order', async () => {
  const store = createManualStore();
  store.existing.set(1n, { id: 1n, name: 'other' }).set(2n, { id: 2n, name: 'x' });
  const lines = [{ fault: 'bad' }, plant(1), plant(2), plant(3), plant(3), plant(3, 'y'), { fault: 'worse' }];
  const { collected, done } = collect(storeBatches(store.insert, batchesOf(lines), 1));
  await store.expectWaiting([1n, 2n, 3n, 3n, 3n]);
  store.waiting[0]?.succeed();
  await done;
  expect(collected).toEqual([
    {
      imported: 1,
      alreadyThere: 2,
      badLines: [
        { number: 1, reason: 'bad' },
        { number: 2, reason: 'The id 1 belongs to another plant.' },
        { number: 6, reason: 'The id 3 belongs to another plant.' },
        { number: 7, reason: 'worse' },
      ],
      nextLine: 8,
    },
  ]);
});

it('tells an empty tag from none', async () => {
  const store = createManualStore();
  store.existing.set(1n, { id: 1n, name: 'x', tag: '' }).set(2n, { id: 2n, name: 'x' });
  const lines = [plant(1), { plant: { id: 2n, name: 'x', tag: '' } }];
  const { collected, done } = collect(storeBatches(store.insert, batchesOf(lines), 1));
  await store.expectWaiting([1n, 2n]);
  store.waiting[0]?.succeed();
  await done;
  expect(collected).toMatchObject([{ alreadyThere: 0, badLines: [{ number: 1 }, { number: 2 }] }]);
});

it('asks the store nothing for a batch without plants', async () => {
  const insert = vi.fn();
  const { collected, done } = collect(storeBatches(insert, batchesOf([{ fault: 'bad' }]), 1));
  await done;
  expect(collected).toMatchObject([{ imported: 0, alreadyThere: 0, nextLine: 2 }]);
  expect(insert).not.toHaveBeenCalled();
});

it('stores as many batches at once as it may, and tells of them in order', async () => {
  const store = createManualStore();
  const { collected, done } = collect(
    storeBatches(store.insert, batchesOf([plant(1)], [plant(2)], [plant(3)]), 2),
  );
  await store.expectWaiting([1n], [2n]);
  store.waiting[1]?.succeed();
  await store.expectWaiting([1n], [2n]);
  expect(collected).toEqual([]);
  store.waiting[0]?.succeed();
  await store.expectWaiting([1n], [2n], [3n]);
  store.waiting[2]?.succeed();
  await done;
  expect(collected.map(({ nextLine }) => nextLine)).toEqual([2, 3, 4]);
});

it('stores batches that share an id one after the other, so that the first line has it', async () => {
  const store = createManualStore();
  const batches = batchesOf([plant(1), plant(2)], [plant(3), plant(2, 'y')], [plant(4)]);
  const { collected, done } = collect(storeBatches(store.insert, batches, 3));
  await store.expectWaiting([1n, 2n]);
  store.waiting[0]?.succeed();
  await store.expectWaiting([1n, 2n], [3n, 2n], [4n]);
  store.waiting[2]?.succeed();
  store.waiting[1]?.succeed();
  await done;
  expect(collected.flatMap(({ badLines }) => badLines)).toEqual([
    { number: 4, reason: 'The id 2 belongs to another plant.' },
  ]);
});

it('tells what is done, and waits for what is under way, before it fails', async () => {
  const store = createManualStore();
  const { collected, done } = collect(
    storeBatches(store.insert, batchesOf([plant(1)], [plant(2)], [plant(3)]), 2),
  );
  let over = false;
  done.catch(() => {
    over = true;
  });
  await store.expectWaiting([1n], [2n]);
  store.waiting[0]?.succeed();
  await store.expectWaiting([1n], [2n], [3n]);
  store.waiting[1]?.fail(new Error('disk full'));
  await store.expectWaiting([1n], [2n], [3n]);
  expect(over).toBe(false);
  store.waiting[2]?.succeed();
  await expect(done).rejects.toThrow('disk full');
  expect(collected.map(({ nextLine }) => nextLine)).toEqual([2]);
});
