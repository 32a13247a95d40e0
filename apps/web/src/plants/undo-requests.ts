import { type Client, type ErrorNumber, updateAll } from '@plant-store/client';
import type { StoredPlant } from '@plant-store/contract/operations';
import { reuseId } from '../shared/reuse-id.js';
import { reportEdits } from './tags/tag-plants.js';

/** A tagging to undo. */
export interface Tagging {
  /** The tag that plants got, `undefined` for none. */
  readonly tag: string | undefined;
  /** What names each plant as the tagging made it, by its id. */
  readonly etags: ReadonlyMap<bigint, string>;
  /** How many the undo left, since they were changed after the tagging. */
  readonly kept: number;
}

/** How many plants come back at a time: each takes a request. */
const concurrency = 4;

/** How long it takes at least to the next count, in milliseconds. */
const sayEveryMs = 250;

/** How far an undo came. */
interface Undone {
  /** The plants that are what they were, and those that are not. */
  readonly back: readonly StoredPlant[];
  readonly left: readonly StoredPlant[];
  /** How many were changed since, and stay. */
  readonly kept: number;
  /** Why some are left, if any are. */
  readonly error?: unknown;
}

/** Gives the ids of deleted plants to the same plants again. Now and then it says how many have them. */
export async function bringBack(
  client: Client,
  plants: readonly StoredPlant[],
  onProgress: (count: number) => void,
): Promise<Undone> {
  const back: StoredPlant[] = [];
  const left: StoredPlant[] = [];
  let lastError: unknown;
  let saidAt = 0;
  // Each takes the next one.
  const shared = plants.values();
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
  return { back, left, kept: 0, error: lastError };
}

/** The errors of plants that were changed after the tagging, or deleted: the table with the names has all texts. */
const ofChanged: readonly number[] = [41200, 40401] satisfies ErrorNumber[];

/** Makes plants what they were before a tagging, but for those that were changed since. */
export async function undoTagging(
  client: Client,
  plants: readonly StoredPlant[],
  { etags, kept: keptBefore }: Tagging,
): Promise<Undone> {
  const left = new Map(plants.map((plant) => [plant.id, plant]));
  const back: StoredPlant[] = [];
  const edits = reportEdits(client, ({ plant }) => {
    back.push(plant);
    left.delete(plant.id);
  });
  let kept = keptBefore;
  let error: unknown;
  try {
    const updates = plants.map((plant) => ({ ...plant, ifMatch: etags.get(plant.id) ?? '""' }));
    for (const rejection of (await updateAll(edits, updates)).rejections) {
      if (!ofChanged.includes(rejection.error)) error = rejection;
      else if (left.delete(rejection.plant.id)) kept++;
    }
  } catch (thrown) {
    error = thrown;
  }
  return { back, left: [...left.values()], kept, error };
}
