import {
  type Client,
  deleteAll,
  errors,
  type FoundPlant,
  getAll,
  isRejectedError,
} from '@plant-store/client';
import type { NewPlant } from '@plant-store/contract/operations';
import type { Lines } from './lines.js';
import type { Pacer } from './pacer.js';

/**
 * Compares plants that can be added with what is stored: those that are stored become changed or unchanged, and those whose id is that
 * of a deleted plant are marked.
 *
 * @throws {RejectedError | PlantStoreError} when what is stored cannot be read
 */
export async function compareLines(
  client: Pick<Client, 'getPlants' | 'deletePlants'>,
  lines: Lines,
  plants: Iterable<readonly [record: number, plant: NewPlant]>,
  { signal, pacer }: { readonly signal: AbortSignal; readonly pacer: Pacer },
): Promise<void> {
  const total = lines.counts.ready;
  const missing: { readonly record: number; readonly id: bigint }[] = [];
  let done = 0;
  for await (const [record, { id, plant, etag }] of findStored(client, plants, signal)) {
    if (plant === undefined) missing.push({ record, id: BigInt(id) });
    else lines.compare(record, { plant, etag }, true);
    await pacer.pass(++done / (total + missing.length));
  }
  for (const record of await findDeleted(client, missing, signal)) lines.retire(record);
}

/** What is stored under the ids of plants, in their order. */
export async function* findStored(
  client: Pick<Client, 'getPlants'>,
  plants: Iterable<readonly [record: number, plant: NewPlant]>,
  signal: AbortSignal,
): AsyncGenerator<readonly [record: number, found: FoundPlant]> {
  const asked: number[] = [];
  function* readIds() {
    for (const [record, { id }] of plants) {
      asked.push(record);
      yield id;
    }
  }
  for await (const found of getAll(client, readIds(), { signal })) yield [asked.shift() as number, found];
}

/** The condition of a delete that no plant meets: no `ETag` is empty. */
const matchesNone = '""';

/**
 * Returns the records whose id is that of a deleted plant. Only a delete tells: it is done already for such an id, and an id that no plant
 * ever had is unknown. A plant that was added since stays, because it does not meet the condition.
 */
async function findDeleted(
  client: Pick<Client, 'deletePlants'>,
  missing: readonly { readonly record: number; readonly id: bigint }[],
  signal: AbortSignal,
): Promise<readonly number[]> {
  try {
    const conditional = missing.map(({ id }) => ({ id, ifMatch: matchesNone }));
    const { rejections } = await deleteAll(client, conditional, { signal });
    const others = new Set(rejections.map(({ index }) => index));
    return missing.flatMap(({ record }, index) => (others.has(index) ? [] : record));
  } catch (error) {
    // Without this scope the service says so once they are sent.
    if (isRejectedError(error, errors.insufficient_scope.error)) return [];
    throw error;
  }
}
