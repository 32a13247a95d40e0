import type { NewPlant } from '@plant-store/contract';
import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import type { PageLimits, StoredPlant } from '../../plants/plant-store.js';
import { clearArguments, integer, integers, type QueryWrapper, readPages, texts } from '../queries.js';
import { type PlantRow, toPlant, toRow } from '../resolve-insert-outcomes.js';
import { durableColumnSql } from './probe-commit.js';

/** Inserts the plants whose id is free and returns their ids. Its parameters are arrays of the ids, names and tags. */
export const insertPlants = `
  INSERT INTO plants (id, name, tag) SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[])
  ON CONFLICT (id) DO NOTHING RETURNING id`;

/** How plants reach the tables of a database, which may be distributed, and how they are read from them. */
export interface PlantTable {
  /**
   * Inserts the plants whose id is free, and returns these ids. Resolves once they are on disk.
   *
   * @param plants in the order of their ids, so that two inserts that share some wait for each other instead of deadlocking
   */
  insert(connections: SqlDriverAdapter, plants: readonly NewPlant[]): Promise<readonly bigint[]>;
  /** Reads existing rows. They are going to be acknowledged, so they must be as durable as a commit. */
  find(connections: SqlDriverAdapter, ids: readonly bigint[]): Promise<readonly PlantRow[]>;
  /**
   * Reads all plants after an id; see `PlantStore`.
   *
   * @param run runs each of its queries
   */
  read(
    connections: SqlDriverAdapter,
    run: QueryWrapper,
    after: bigint | undefined,
    limits: PageLimits,
  ): AsyncIterable<readonly StoredPlant[]>;
}

/**
 * The table of one PostgreSQL: one statement for any number of plants. Where it has been distributed meanwhile, these statements
 * work as well, only with more work for the cluster.
 */
export const singleTable: PlantTable = {
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
      sql: `SELECT id, name, tag, ${durableColumnSql} FROM plants WHERE id = ANY($1::bigint[])`,
      args: [ids],
      argTypes: [integers],
    });
    return rows.map(toRow);
  },
  read: (connections, run, after, limits) =>
    readPages((last) => run(() => readPage(connections, last, limits)), after),
};

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
