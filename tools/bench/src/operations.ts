import { type ComparisonOptions, compare } from './compare.js';

const records = 100_000;

/** Reads, batches, and deletes. One connection shows the duration of a request without concurrency. */
const loads = [
  { operation: 'get', connections: 1, records },
  { operation: 'get', connections: 64, records },
  { operation: 'page', connections: 1, records },
  { operation: 'page', connections: 64, records },
  { operation: 'list', connections: 64, records },
  { operation: 'batch', connections: 4, records },
  // More records than any target deletes.
  { operation: 'delete', connections: 64, records: 20 * records },
] as const;

/** Compares reads, batches, and deletes on the targets that support reads. */
export function compareOperations(compared: Omit<ComparisonOptions, 'loads'>): Promise<boolean> {
  const targets = compared.targets.filter(({ has }) => has.includes('reads'));
  return compare({ ...compared, targets, loads });
}
