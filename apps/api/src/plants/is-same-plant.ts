import type { StoredPlant } from './plant-store.js';

/** Whether two plants are exactly equal; an empty tag differs from no tag. */
export function isSamePlant(a: StoredPlant, b: StoredPlant): boolean {
  return a.id === b.id && a.name === b.name && a.tag === b.tag;
}
