import { type ChangeOutcome, isTombstone, removalOf } from '@plant-store/records';
import type { PlantStore } from './plants-of.js';

/** Removes plants, and returns what became of each by its name. */
export async function removeFrom(
  store: Pick<PlantStore, 'change'>,
  ids: readonly bigint[],
  retire = false,
): Promise<ReturnType<typeof nameOf>[]> {
  const outcomes = await store.change(ids.map((id) => removalOf(id, retire)));
  return outcomes.map(nameOf);
}

/** What a removal did. */
export function nameOf({ before, after }: ChangeOutcome<unknown>): 'removed' | 'removed_before' | 'unknown' {
  if (after !== undefined) return 'removed';
  return before !== undefined && isTombstone(before) ? 'removed_before' : 'unknown';
}
