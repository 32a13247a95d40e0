import { type Compared, compare } from './compare.js';

/** Reads and batches, which need fewer connections than creates. */
export const loads = [
  { operation: 'get', connections: 64 },
  { operation: 'list', connections: 16 },
  { operation: 'batch', connections: 4 },
] as const;

const storedPlants = 100_000;

/** Compares reads of plants that were stored before, and batches, of the targets that have them. */
export function compareOperations(compared: Omit<Compared, 'loads'>): Promise<boolean> {
  const targets = compared.targets.filter(({ has }) => has.includes('reads'));
  return compare({ ...compared, targets, loads, settings: { ...compared.settings, plants: storedPlants } });
}
