import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import type { PageLimits, PlantStore, StoredPlant } from '../../plants/plant-store.js';
import type { RunQuery } from '../queries/nest-runners.js';
import { integer } from '../queries/query-arguments.js';
import { resolveInsertOutcomes, stored, toPlant, toRow } from '../queries/resolve-insert-outcomes.js';
import type { InsertStrategy } from './strategies/insert-strategy.js';

/** Creates the plant store of PostgreSQL. */
export function createPostgresqlPlantStore(
  connections: SqlDriverAdapter,
  runQuery: RunQuery,
  strategy: InsertStrategy,
): PlantStore {
  return {
    insert: (plants) =>
      runQuery(async () => {
        const sorted = plants.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
        const newIds = plants.length === 0 ? [] : await strategy.insert(connections, sorted);
        if (newIds.length === plants.length) return plants.map(() => stored);
        return resolveInsertOutcomes(plants, new Set(newIds), (ids) => strategy.find(connections, ids));
      }),
    read: (after, limits) => runQuery(() => readPage(connections, after, limits)),
  };
}

/**
 * Reads as many of the next plants as the limits allow, at least one. The query measures more texts than it returns,
 * which PostgreSQL does without reading them.
 */
async function readPage(
  connections: SqlDriverAdapter,
  after: bigint | undefined,
  { plants, bytes }: PageLimits,
): Promise<readonly StoredPlant[]> {
  const { rows } = await connections.queryRaw({
    sql: `
      WITH next AS (
        SELECT id, octet_length(name) + coalesce(octet_length(tag), 0) AS bytes
        FROM plants WHERE $1::bigint IS NULL OR id > $1 ORDER BY id LIMIT $2
      ), page AS (
        SELECT id, row_number() OVER in_order AS place, sum(bytes) OVER in_order AS total
        FROM next WINDOW in_order AS (ORDER BY id)
      )
      SELECT id, name, tag FROM page JOIN plants USING (id) WHERE place = 1 OR total <= $3 ORDER BY id`,
    args: [after ?? null, BigInt(plants), BigInt(bytes)],
    argTypes: [integer, integer, integer],
  });
  return rows.map((row) => toPlant(toRow(row)));
}
