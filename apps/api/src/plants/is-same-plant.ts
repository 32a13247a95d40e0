import type { StoredPlant } from './plant-store.js';

/** Whether two plants are the same to the letter; an empty tag and none differ. */
export function isSamePlant(a: StoredPlant, b: StoredPlant): boolean {
  return a.id === b.id && a.name === b.name && a.tag === b.tag;
}
