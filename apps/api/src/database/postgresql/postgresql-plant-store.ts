import type { NewPlant } from '@plant-store/contract';
import type { SqlDriverAdapter, SqlQuery } from '@prisma/driver-adapter-utils';
import type { PageLimits, PlantStore, StoredPlant } from '../../plants/plant-store.js';
import { clearArguments } from '../clear-arguments.js';
import { type PlantRow, resolveInsertOutcomes, stored, toPlant } from '../resolve-insert-outcomes.js';
import { withDurable } from './durable-reading.js';
import type { OrUnavailable } from './errors/database-unavailable.js';

/** Plants in PostgreSQL: any number of them in one statement, which is one commit. */
export function createPostgresqlPlantStore(
  connections: SqlDriverAdapter,
  orUnavailable: OrUnavailable,
): PlantStore {
  return {
    insert: (plants) =>
      orUnavailable(async () => {
        const newIds = plants.length === 0 ? [] : await insertNew(connections, plants);
        if (newIds.length === plants.length) return plants.map(() => stored);
        return resolveInsertOutcomes(plants, new Set(newIds), (ids) => findRows(connections, ids));
      }),
    read: (after, limits) => orUnavailable(() => readPage(connections, after, limits)),
  };
}

const text = { scalarType: 'string', arity: 'scalar' } as const;
const texts = { scalarType: 'string', arity: 'list' } as const;
const integer = { scalarType: 'bigint', arity: 'scalar' } as const;
const integers = { scalarType: 'bigint', arity: 'list' } as const;

/** Inserts plants whose id is free and gives their ids; takes the ids, names and tags, each as an array. */
export const insertPlants = `
  INSERT INTO plants (id, name, tag) SELECT * FROM unnest($1::bigint[], $2::text[], $3::text[])
  ON CONFLICT (id) DO NOTHING RETURNING id`;

/**
 * Inserts the plants whose id is free, and gives those ids. The ids are in order, so that two inserts which share some
 * wait for one another instead of ending in a deadlock.
 */
async function insertNew(connections: SqlDriverAdapter, plants: readonly NewPlant[]): Promise<bigint[]> {
  const inOrder = plants.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
  const query: SqlQuery = {
    sql: insertPlants,
    args: [
      inOrder.map(({ id }) => id),
      inOrder.map(({ name }) => name),
      inOrder.map(({ tag }) => tag ?? null),
    ],
    argTypes: [integers, texts, texts],
  };
  const { rows } = await clearArguments(query, (statement) => connections.queryRaw(statement));
  return rows.map(([id]) => BigInt(String(id)));
}

/** Reads rows that are to be acknowledged as there, so that they must be durable. */
async function findRows(connections: SqlDriverAdapter, ids: readonly bigint[]): Promise<readonly PlantRow[]> {
  const { rows } = await connections.queryRaw({
    sql: `${withDurable} SELECT id, name, tag FROM durable, plants WHERE id = ANY($1::bigint[])`,
    args: [ids],
    argTypes: [integers],
  });
  return rows.map(toRow);
}

/**
 * The first of the next plants, as many as have room; the first one always has. What comes after them is measured, which
 * PostgreSQL does without reading it.
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
    args: [after ?? null, plants, bytes],
    argTypes: [integer, text, text],
  });
  return rows.map((row) => toPlant(toRow(row)));
}

/** A row as the driver gives it: integers as text, so that they stay exact. */
function toRow([id, name, tag]: readonly unknown[]): PlantRow {
  return { id: BigInt(String(id)), name: String(name), tag: tag === null ? null : String(tag) };
}
