import { statSync } from 'node:fs';
import { OperatorError } from '../../../errors/operator-error.js';
import { explainFailure } from '../errors/explain-failure.js';

/**
 * Checks that a database exists, for callers that add nothing to it and must not create one.
 *
 * @throws {OperatorError} when the file does not exist, is empty, or cannot be reached
 */
export function requireDatabaseFile(path: string): void {
  // SQLite writes the header of a new database before a plant can be stored.
  if (readSize(path)) return;
  throw new OperatorError(`There is no database ${path}. Set DATABASE_URL to that of a plant store.`);
}

function readSize(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size;
  } catch (error) {
    throw new OperatorError(explainFailure(error, path), { cause: error });
  }
}
