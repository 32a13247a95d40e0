import { type Compared, compare } from './compare.js';

const records = 100_000;

/** Reads, batches and deletes. One connection shows how long a request takes that nothing is done beside. */
const loads = [
  { operation: 'get', connections: 1, records },
  { operation: 'get', connections: 64, records },
  { operation: 'page', connections: 1, records },
  { operation: 'page', connections: 64, records },
  { operation: 'list', connections: 64, records },
  { operation: 'batch', connections: 4, records },
  // More than any of them deletes.
  { operation: 'delete', connections: 64, records: 20 * records },
] as const;

/** Compares them, of the targets that have reads. */
export function compareOperations(compared: Omit<Compared, 'loads'>): Promise<boolean> {
  const targets = compared.targets.filter(({ has }) => has.includes('reads'));
  return compare({ ...compared, targets, loads });
}
