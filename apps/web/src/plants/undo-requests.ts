import type { Client } from '@plant-store/client';
import type { StoredPlant } from '@plant-store/contract/operations';
import { inParallel } from '../shared/in-parallel.js';
import { reuseId } from '../shared/reuse-id.js';
import { restoreTags } from './tags/tag-plants.js';

/** A tagging to undo. */
export interface Tagging {
  /** The tag that plants got, `undefined` for none. */
  readonly tag: string | undefined;
  /** What names each plant as the tagging made it, by its id. */
  readonly etags: ReadonlyMap<bigint, string>;
  /** How many the undo left, since they were changed after the tagging. */
  readonly kept: number;
}

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
  await inParallel(plants, async (plant) => {
    try {
      back.push(await reuseId(client, plant));
      if (performance.now() - saidAt < sayEveryMs) return;
      saidAt = performance.now();
      onProgress(back.length);
    } catch (error) {
      lastError = error;
      left.push(plant);
    }
  });
  return { back, left, kept: 0, error: lastError };
}

/** Gives plants the tags that they had before a tagging. */
export async function undoTagging(
  client: Client,
  plants: readonly StoredPlant[],
  { etags, kept: keptBefore }: Tagging,
): Promise<Undone> {
  const back: StoredPlant[] = [];
  const done = new Set<bigint>();
  let kept = keptBefore;
  const onDone = (id: bigint, plant: StoredPlant | undefined) => {
    done.add(id);
    if (plant === undefined) kept++;
    else back.push(plant);
  };
  const error = await restoreTags(client, plants, { etags, onDone }).catch((thrown: unknown) => thrown);
  return { back, left: plants.filter(({ id }) => !done.has(id)), kept, error };
}
