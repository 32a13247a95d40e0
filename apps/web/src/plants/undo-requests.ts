import { type Client, deleteAll, type ErrorNumber, type Fetch, updateAll } from '@plant-store/client';
import type { StoredPlant, UpdatedResult } from '@plant-store/contract/operations';
import { reuseId } from '../shared/reuse-id.js';
import type { Change, Edited } from './undo-state.js';

/** The number of plants that are restored concurrently. Each plant needs a request. */
const concurrency = 4;

/** The minimum interval between progress reports. */
const progressIntervalMs = 250;

/** The result of an undo. */
interface UndoResult {
  /** The restored plants. */
  readonly restored: readonly StoredPlant[];
  /** The change with the plants that were not restored. */
  readonly remaining: Change;
  /** Why some plants were not restored, if there are any. */
  readonly error?: unknown;
}

/** Deletes plants, and returns why some were not deleted, by ID. */
export async function deletePlants(
  client: Client,
  plants: readonly StoredPlant[],
  fetch: Fetch,
): Promise<ReadonlyMap<bigint, string>> {
  const ids = plants.map(({ id }) => id);
  const { rejections } = await deleteAll(client, ids, { fetch });
  return new Map(rejections.map(({ id, message }) => [BigInt(id), message]));
}

/** Creates deleted plants again with the same IDs, and reports the progress. */
export async function restoreDeleted(
  client: Client,
  change: Change,
  onProgress: (count: number) => void,
): Promise<UndoResult> {
  const restored: StoredPlant[] = [];
  const remaining: StoredPlant[] = [];
  let lastError: unknown;
  let reportedAt = 0;
  // All workers take plants from the same iterator.
  const queue = change.plants.values();
  const restoreSome = async () => {
    for (const plant of queue) {
      try {
        restored.push((await reuseId(client, plant)).plant);
        if (performance.now() - reportedAt < progressIntervalMs) continue;
        reportedAt = performance.now();
        onProgress(restored.length);
      } catch (error) {
        lastError = error;
        remaining.push(plant);
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, restoreSome));
  return { restored, remaining: { ...change, plants: remaining }, error: lastError };
}

/** The errors of plants that were changed or deleted after the edit. The table of error names would also load all messages. */
const changedErrors: readonly number[] = [41200, 40401] satisfies ErrorNumber[];

/** Restores plants to their state before an edit, except plants that have changed since then. */
export async function undoEdit(client: Client, change: Change, edit: Edited): Promise<UndoResult> {
  const remaining = new Map(change.plants.map((plant) => [plant.id, plant]));
  const restored: StoredPlant[] = [];
  const edits = reportEdits(client, ({ plant }) => {
    restored.push(plant);
    remaining.delete(plant.id);
  });
  let { skippedCount } = edit;
  let error: unknown;
  try {
    const updates = change.plants.map((plant) => ({ ...plant, ifMatch: edit.etags.get(plant.id) ?? '""' }));
    for (const rejection of (await updateAll(edits, updates)).rejections) {
      if (!changedErrors.includes(rejection.error)) error = rejection;
      else if (remaining.delete(rejection.plant.id)) skippedCount++;
    }
  } catch (thrown) {
    error = thrown;
  }
  return {
    restored,
    remaining: { ...change, plants: [...remaining.values()], edit: { ...edit, skippedCount } },
    error,
  };
}

/** Creates a client that reports each edit as soon as its reply arrives, regardless of the others. */
export function reportEdits(
  client: Pick<Client, 'updatePlants'>,
  onEdited: (edited: UpdatedResult) => void,
): Pick<Client, 'updatePlants'> {
  return {
    async updatePlants(request) {
      const reply = await client.updatePlants(request);
      const { results } = reply.status === 200 ? reply.body : { results: [] };
      for (const result of results) if (!('error' in result)) onEdited(result);
      return reply;
    },
  };
}
