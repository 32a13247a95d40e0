import type { NewPlant } from '@plant-store/contract';
import type { SqlDriverAdapter, SqlQuery } from '@prisma/driver-adapter-utils';
import type { Destination, Routing } from '../../../plants/routing.js';
import { clearArguments, integer, integers, text } from '../../queries/query-arguments.js';
import { type PlantRow, toRow } from '../../queries/resolve-insert-outcomes.js';
import { createRunOnNode } from '../citus/overdue-statements.js';
import type { ShardMap } from '../citus/shard-map.js';
import { isDurable } from '../durable-read.js';
import type { InsertStrategy } from './insert-strategy.js';

/** How many inserts may be in flight to one shard: the next batch grows while one is being stored. */
const insertsPerShard = 1;

export interface ByShardOptions {
  /** The current shards; `undefined` while the table is not distributed. */
  currentMap(): ShardMap | undefined;
  /** How many inserts may be in flight to all shards. */
  readonly inserts: number;
  /** After how long a statement is overdue, in milliseconds; see `createRunOnNode`. */
  readonly overdueAfterMs: number;
  /** Used while the table is not distributed. */
  readonly undistributed: InsertStrategy;
}

/**
 * The strategy for a table that Citus distributes by the hash of the id. A statement whose rows are all in one shard is
 * forwarded to its node as it is, and commits there alone. One over several shards takes several round trips and a two-phase
 * commit, which makes it tens of times slower for a few rows: this happens only with a map that is no longer current.
 */
export function byShard(options: ByShardOptions): InsertStrategy {
  const { currentMap, undistributed } = options;
  const runOnNode = createRunOnNode(options.overdueAfterMs);
  return {
    routing: routeByShard(options),
    insert(connections, plants) {
      const map = currentMap();
      if (map === undefined) return undistributed.insert(connections, plants);
      return forEachShard(
        map,
        plants,
        ({ id }) => id,
        (rows, node) => runOnNode(node, () => insertRows(connections, rows)),
      );
    },
    find(connections, ids) {
      const map = currentMap();
      // The table may have been distributed since the map was read.
      if (map === undefined) return findRows(connections, ids);
      return forEachShard(
        map,
        ids,
        (id) => id,
        (found, node) => runOnNode(node, () => findRows(connections, found)),
      );
    },
  };
}

/** All shards of a node fail together, so that it gets half of the inserts at most, unless it is the only one. */
function routeByShard({ currentMap, inserts, undistributed }: ByShardOptions): Routing {
  return {
    destinationOf: (id) => currentMap()?.shardOf(id) ?? 0,
    get insertsPerDestination() {
      return currentMap() === undefined ? undistributed.routing.insertsPerDestination : insertsPerShard;
    },
    get inserts() {
      return currentMap() === undefined ? undistributed.routing.inserts : inserts;
    },
    get groups() {
      const map = currentMap();
      if (map === undefined) return undefined;
      const insertsPerGroup = map.nodes === 1 ? inserts : Math.max(1, Math.floor(inserts / 2));
      return { groupOf: (shard: Destination) => map.nodeOf(shard) ?? 0, insertsPerGroup };
    },
    get shareOf() {
      return currentMap()?.shareOf;
    },
  };
}

/**
 * Runs a query for the items of each shard, concurrently, and returns all results. If one fails, it throws its error once the
 * others have ended.
 */
async function forEachShard<Item, Result>(
  map: ShardMap,
  items: readonly Item[],
  idOf: (item: Item) => bigint,
  run: (items: readonly Item[], node: number) => Promise<readonly Result[]>,
): Promise<readonly Result[]> {
  const groups = [...Map.groupBy(items, (item) => map.shardOf(idOf(item)))];
  const results = await Promise.allSettled(
    groups.map(([shard, itemsOfShard]) => run(itemsOfShard, map.nodeOf(shard) ?? 0)),
  );
  return results.flatMap((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}

/** Citus finds the shard of the rows in a list of values, but not in what `unnest` returns. */
async function insertRows(connections: SqlDriverAdapter, plants: readonly NewPlant[]): Promise<bigint[]> {
  const query: SqlQuery = {
    sql: insertStatement(plants.length),
    args: plants.flatMap(({ id, name, tag }) => [id, name, tag ?? null]),
    argTypes: plants.flatMap(() => [integer, text, text]),
  };
  const { rows } = await clearArguments(query, (statement) => connections.queryRaw(statement));
  return rows.map(([id]) => BigInt(String(id)));
}

const insertStatements: string[] = [];

/** The statement for so many rows. */
function insertStatement(rows: number): string {
  insertStatements[rows] ??= `INSERT INTO plants (id, name, tag) VALUES ${valuesList(rows)}
    ON CONFLICT (id) DO NOTHING RETURNING id`;
  return insertStatements[rows];
}

function valuesList(rows: number): string {
  const row = (_: unknown, index: number) =>
    `($${3 * index + 1}::bigint, $${3 * index + 2}::text, $${3 * index + 3}::text)`;
  return Array.from({ length: rows }, row).join(', ');
}

async function findRows(connections: SqlDriverAdapter, ids: readonly bigint[]): Promise<readonly PlantRow[]> {
  const { rows } = await connections.queryRaw({
    sql: `SELECT id, name, tag FROM plants WHERE id = ANY($1::bigint[]) AND ${isDurable}`,
    args: [ids],
    argTypes: [integers],
  });
  return rows.map(toRow);
}
