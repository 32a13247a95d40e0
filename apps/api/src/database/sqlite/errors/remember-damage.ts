import { ServiceError } from '../../../errors/service-error.js';
import type { DatabaseLog } from '../../database.js';
import type { RunQuery } from '../../nest-runners.js';

/**
 * Creates a function that runs queries until one of them finds the database damaged. That is logged once, and every
 * later query is rejected: plants stored in a damaged file would be lost when a backup is restored, and might damage it
 * further.
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
