import { type Compared, compare } from './compare.js';

const plants = 100_000;

/** Reads, batches and deletes. One connection shows how long a request takes that nothing is done beside. */
const loads = [
  { operation: 'get', connections: 1, plants },
  { operation: 'get', connections: 64, plants },
  { operation: 'page', connections: 1, plants },
  { operation: 'page', connections: 64, plants },
  { operation: 'list', connections: 64, plants },
  { operation: 'batch', connections: 4, plants },
  // More than any of them deletes.
  { operation: 'delete', connections: 64, plants: 10 * plants },
] as const;

/** Compares them, of the targets that have reads. */
export function compareOperations(compared: Omit<Compared, 'loads'>): Promise<boolean> {
  const targets = compared.targets.filter(({ has }) => has.includes('reads'));
  return compare({ ...compared, targets, loads });
}
