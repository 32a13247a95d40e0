import { statSync } from 'node:fs';
import { OperatorError } from '../../operator-error.js';

/**
 * Sees to it that a database is there, for who only reads it and must not create one.
 *
 * @throws {OperatorError} when there is no file, or an empty one
 */
export function requireDatabaseFile(path: string): void {
  // SQLite writes the head of a new database before any plant can be stored.
  if (statSync(path, { throwIfNoEntry: false })?.size) return;
  throw new OperatorError(`There is no database ${path}. Let DATABASE_URL name that of a plant store.`);
}
