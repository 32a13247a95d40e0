import { ServiceError } from '../../../errors/service-error.js';
import type { DatabaseLog } from '../../database.js';
import type { RunQuery } from '../../nest-runners.js';

/**
 * Makes a function that runs queries until one of them finds the database damaged. It logs that once, and refuses every
 * query from then on: what is stored beside a damaged page would be lost with the file when a backup is restored, and
 * might damage more of it.
 */
export function rememberDamage(log: DatabaseLog): RunQuery {
  let damage: ServiceError | undefined;
  return async function run(query) {
    if (damage !== undefined) throw damage;
    try {
      return await query();
    } catch (error) {
      if (damage === undefined && error instanceof ServiceError && error.errorName === 'database_damaged') {
        damage = error;
        const { cause } = error;
        log.error(cause instanceof Error ? { err: cause } : {}, 'the database is damaged');
      }
      throw error;
    }
  };
}
