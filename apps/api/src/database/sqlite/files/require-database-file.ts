import { statSync } from 'node:fs';
import { OperatorError } from '../../../errors/operator-error.js';
import { explainFailure } from '../errors/explain-failure.js';

/**
 * Sees to it that a database is there, for who only reads it and must not create one.
 *
 * @throws {OperatorError} when there is no file, or an empty one, or it cannot be reached
 */
export function requireDatabaseFile(path: string): void {
  // SQLite writes the head of a new database before any plant can be stored.
  if (readSize(path)) return;
  throw new OperatorError(`There is no database ${path}. Let DATABASE_URL name that of a plant store.`);
}

function readSize(path: string): number | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false })?.size;
  } catch (error) {
    throw new OperatorError(explainFailure(error, path), { cause: error });
  }
}
