import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import type { PageLimits, StoredPlant } from '../../plants/plant-store.js';
import { toOneDestination as routeToOne } from '../../plants/routing.js';
import { clearArguments, integer, integers, readPages, texts } from '../queries.js';
import { toPlant, toRow } from '../resolve-insert-outcomes.js';
import { withDurable } from './durable-read.js';
import type { PlantStrategy } from './postgresql-plant-store.js';

/** Inserts the plants whose id is free and returns their ids. Its parameters are arrays of the ids, names and tags. */
export const insertPlants = `
  INSERT INTO plants (id, name, tag) SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[])
  ON CONFLICT (id) DO NOTHING RETURNING id`;

/**
 * The strategy of one PostgreSQL: one statement for any number of plants.
 *
 * @param inserts how many inserts may be in flight
 */
export function toOneDestination(inserts: number): PlantStrategy {
  return {
    routing: routeToOne(inserts),
    async insert(connections, plants) {
      const query = {
        sql: insertPlants,
        args: [
          plants.map(({ id }) => id),
          plants.map(({ name }) => name),
          plants.map(({ tag }) => tag ?? null),
        ],
        argTypes: [integers, texts, texts],
      };
      const { rows } = await clearArguments(query, (statement) => connections.queryRaw(statement));
      return rows.map(([id]) => BigInt(String(id)));
    },
    async find(connections, ids) {
      const { rows } = await connections.queryRaw({
        sql: `${withDurable} SELECT id, name, tag FROM durable, plants WHERE id = ANY($1::bigint[])`,
        args: [ids],
        argTypes: [integers],
      });
      return rows.map(toRow);
    },
    read: (connections, run, after, limits) =>
      readPages((last) => run(() => readPage(connections, last, limits)), after),
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
