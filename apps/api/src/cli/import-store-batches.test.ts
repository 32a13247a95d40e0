import type { NewPlant } from '@plant-store/contract';
import { expect, it, vi } from 'vitest';
import type { PlantRecord } from '../plants/plant-store.js';
import { withoutTombstones } from '../store/store.js';
import type { PlantLine } from './formats.js';
import { type Batch, type BatchOutcome, type RowOutcome, storeBatches, toRowOutcome } from './import.js';

/** A store whose batches the test resolves or rejects one by one. */
function createManualStore() {
  const existing = new Map<bigint, NewPlant>();
  const inFlight: { ids: bigint[]; succeed(): void; fail(error: Error): void }[] = [];
  function store(plant: NewPlant): RowOutcome {
    const other = existing.get(plant.id);
    if (other !== undefined) return toRowOutcome(plant, { stored: false, existing: other });
    existing.set(plant.id, plant);
    return { stored: true };
  }
  return {
    existing,
    inFlight,
    store: (records: readonly PlantRecord[]) =>
      new Promise<readonly RowOutcome[]>((resolve, reject) => {
        const plants = withoutTombstones(records);
        const ids = plants.map(({ id }) => id);
        inFlight.push({ ids, succeed: () => resolve(plants.map(store)), fail: reject });
      }),
    /** Checks that exactly these batches have been stored so far, given by their ids. */
    expectBatches: async (...expected: bigint[][]) => {
      await new Promise(setImmediate);
      expect(inFlight.map(({ ids }) => ids)).toEqual(expected);
    },
  };
}

const plant = (id: number, name = 'x') => ({ plant: { id: BigInt(id), name } });

/** Batches of lines, numbered consecutively. */
async function* batchesOf(...batches: PlantLine[][]) {
  let number = 1;
  for (const batch of batches) {
    yield batch.map((line) => ({ number: number++, ...line })) satisfies Batch;
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

it('reports new plants, existing plants, and bad lines in their order', async () => {
  const store = createManualStore();
  store.existing.set(1n, { id: 1n, name: 'other' }).set(2n, { id: 2n, name: 'x' });
  const lines = [
    { reason: 'bad' },
    plant(1),
    plant(2),
    plant(3),
    plant(3),
    plant(3, 'y'),
    { reason: 'worse' },
  ];
  const { collected, done } = collect(storeBatches(store.store, batchesOf(lines), 1));
  await store.expectBatches([1n, 2n, 3n, 3n, 3n]);
  store.inFlight[0]?.succeed();
  await done;
  expect(collected).toEqual([
    {
      stored: 1,
      alreadyThere: 2,
      badLines: [
        { number: 1, reason: 'bad' },
        { number: 2, reason: 'The id 1 belongs to another plant.' },
        { number: 6, reason: 'The id 3 belongs to another plant.' },
        { number: 7, reason: 'worse' },
      ],
      invalid: 2,
      nextLine: 8,
    },
  ]);
});

it('distinguishes an empty tag from no tag', async () => {
  const store = createManualStore();
  store.existing.set(1n, { id: 1n, name: 'x', tag: '' }).set(2n, { id: 2n, name: 'x' });
  const lines = [plant(1), { plant: { id: 2n, name: 'x', tag: '' } }];
  const { collected, done } = collect(storeBatches(store.store, batchesOf(lines), 1));
  await store.expectBatches([1n, 2n]);
  store.inFlight[0]?.succeed();
  await done;
  expect(collected).toMatchObject([{ alreadyThere: 0, badLines: [{ number: 1 }, { number: 2 }] }]);
});

it('does not call the store for a batch without plants', async () => {
  const store = vi.fn();
  const { collected, done } = collect(storeBatches(store, batchesOf([{ reason: 'bad' }]), 1));
  await done;
  expect(collected).toMatchObject([{ stored: 0, alreadyThere: 0, nextLine: 2 }]);
  expect(store).not.toHaveBeenCalled();
});

it('stores as many batches concurrently as it may, and reports them in order', async () => {
  const store = createManualStore();
  const { collected, done } = collect(
    storeBatches(store.store, batchesOf([plant(1)], [plant(2)], [plant(3)]), 2),
  );
  await store.expectBatches([1n], [2n]);
  store.inFlight[1]?.succeed();
  await store.expectBatches([1n], [2n]);
  expect(collected).toEqual([]);
  store.inFlight[0]?.succeed();
  await store.expectBatches([1n], [2n], [3n]);
  store.inFlight[2]?.succeed();
  await done;
  expect(collected.map(({ nextLine }) => nextLine)).toEqual([2, 3, 4]);
});

it('stores batches that share an id one after the other, so that the first line has it', async () => {
  const store = createManualStore();
  const batches = batchesOf([plant(1), plant(2)], [plant(3), plant(2, 'y')], [plant(4)]);
  const { collected, done } = collect(storeBatches(store.store, batches, 3));
  await store.expectBatches([1n, 2n]);
  store.inFlight[0]?.succeed();
  await store.expectBatches([1n, 2n], [3n, 2n], [4n]);
  store.inFlight[2]?.succeed();
  store.inFlight[1]?.succeed();
  await done;
  expect(collected.flatMap(({ badLines }) => badLines)).toEqual([
    { number: 4, reason: 'The id 2 belongs to another plant.' },
  ]);
});

it('reports the batches that are done, and waits for those in flight, before it fails', async () => {
  const store = createManualStore();
  const { collected, done } = collect(
    storeBatches(store.store, batchesOf([plant(1)], [plant(2)], [plant(3)]), 2),
  );
  let rejected = false;
  done.catch(() => {
    rejected = true;
  });
  await store.expectBatches([1n], [2n]);
  store.inFlight[0]?.succeed();
  await store.expectBatches([1n], [2n], [3n]);
  store.inFlight[1]?.fail(new Error('disk full'));
  await store.expectBatches([1n], [2n], [3n]);
  expect(rejected).toBe(false);
  store.inFlight[2]?.succeed();
  await expect(done).rejects.toThrow('disk full');
  expect(collected.map(({ nextLine }) => nextLine)).toEqual([2]);
});
