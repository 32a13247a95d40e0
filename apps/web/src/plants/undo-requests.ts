import { type Client, type ErrorNumber, updateAll } from '@plant-store/client';
import type { StoredPlant } from '@plant-store/contract/operations';
import { reuseId } from '../shared/reuse-id.js';
import { reportEdits } from './tags/tag-plants.js';
import type { Change, Edited } from './undo-state.js';

/** How many plants are restored at a time. Each needs a request. */
const concurrency = 4;

/** The minimum interval between count reports, in milliseconds. */
const sayEveryMs = 250;

/** The result of an undo. */
interface Undone {
  /** The restored plants. */
  readonly back: readonly StoredPlant[];
  /** The change with the plants that were not restored. */
  readonly left: Change;
  /** Why some are left, if any are. */
  readonly error?: unknown;
}

/** Creates deleted plants again under their ids. Reports the count from time to time. */
export async function bringBack(
  client: Client,
  change: Change,
  onProgress: (count: number) => void,
): Promise<Undone> {
  const back: StoredPlant[] = [];
  const left: StoredPlant[] = [];
  let lastError: unknown;
  let saidAt = 0;
  // Each worker takes the next plant.
  const shared = change.plants.values();
  const bringSome = async () => {
    for (const plant of shared) {
      try {
        back.push((await reuseId(client, plant)).plant);
        if (performance.now() - saidAt < sayEveryMs) continue;
        saidAt = performance.now();
        onProgress(back.length);
      } catch (error) {
        lastError = error;
        left.push(plant);
      }
    }
  };
  await Promise.all(Array.from({ length: concurrency }, bringSome));
  return { back, left: { ...change, plants: left }, error: lastError };
}

/** The errors of plants that were changed or deleted after the edit. By number, because the table with the names has all texts. */
const ofChanged: readonly number[] = [41200, 40401] satisfies ErrorNumber[];

/** Restores plants to the state before an edit, except plants that have changed since. */
export async function undoEdit(client: Client, change: Change, edit: Edited): Promise<Undone> {
  const left = new Map(change.plants.map((plant) => [plant.id, plant]));
  const back: StoredPlant[] = [];
  const edits = reportEdits(client, ({ plant }) => {
    back.push(plant);
    left.delete(plant.id);
  });
  let { kept } = edit;
  let error: unknown;
  try {
    const updates = change.plants.map((plant) => ({ ...plant, ifMatch: edit.etags.get(plant.id) ?? '""' }));
    for (const rejection of (await updateAll(edits, updates)).rejections) {
      if (!ofChanged.includes(rejection.error)) error = rejection;
      else if (left.delete(rejection.plant.id)) kept++;
    }
  } catch (thrown) {
    error = thrown;
  }
  return { back, left: { ...change, plants: [...left.values()], edit: { ...edit, kept } }, error };
}
