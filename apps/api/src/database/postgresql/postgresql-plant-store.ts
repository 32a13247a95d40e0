import type { NewPlant } from '@plant-store/contract';
import type { SqlDriverAdapter, SqlQuery } from '@prisma/driver-adapter-utils';
import type { PageLimits, PlantStore, StoredPlant } from '../../plants/plant-store.js';
import type { RunQuery } from '../queries/nest-runners.js';
import { clearArguments, integer } from '../queries/query-arguments.js';
import {
  type PlantRow,
  resolveInsertOutcomes,
  stored,
  toPlant,
  toRow,
} from '../queries/resolve-insert-outcomes.js';
import { withDurable } from './durable-read.js';

/** Creates the plant store of PostgreSQL. An insert is one statement, and thus one commit, for any number of plants. */
export function createPostgresqlPlantStore(connections: SqlDriverAdapter, runQuery: RunQuery): PlantStore {
  return {
    insert: (plants) =>
      runQuery(async () => {
        const newIds = plants.length === 0 ? [] : await insertNew(connections, plants);
        if (newIds.length === plants.length) return plants.map(() => stored);
        return resolveInsertOutcomes(plants, new Set(newIds), (ids) => findRows(connections, ids));
      }),
    read: (after, limits) => runQuery(() => readPage(connections, after, limits)),
  };
}

const texts = { scalarType: 'string', arity: 'list' } as const;
const integers = { scalarType: 'bigint', arity: 'list' } as const;

/** Inserts the plants whose id is free and returns their ids. Its parameters are arrays of the ids, names and tags. */
export const insertPlants = `
  INSERT INTO plants (id, name, tag) SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[])
  ON CONFLICT (id) DO NOTHING RETURNING id`;

/**
 * Inserts the plants whose id is free, and returns these ids. They are inserted in the order of their ids, so that two
 * inserts that share some wait for each other instead of deadlocking.
 */
async function insertNew(connections: SqlDriverAdapter, plants: readonly NewPlant[]): Promise<bigint[]> {
  const sorted = plants.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  const query: SqlQuery = {
    sql: insertPlants,
    args: [sorted.map(({ id }) => id), sorted.map(({ name }) => name), sorted.map(({ tag }) => tag ?? null)],
    argTypes: [integers, texts, texts],
  };
  const { rows } = await clearArguments(query, (statement) => connections.queryRaw(statement));
  return rows.map(([id]) => BigInt(String(id)));
}

/** Reads existing rows. They are going to be acknowledged, so they must be durable. */
async function findRows(connections: SqlDriverAdapter, ids: readonly bigint[]): Promise<readonly PlantRow[]> {
  const { rows } = await connections.queryRaw({
    sql: `${withDurable} SELECT id, name, tag FROM durable, plants WHERE id = ANY($1::bigint[])`,
    args: [ids],
    argTypes: [integers],
  });
  return rows.map(toRow);
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
