import type { Plant } from '@plant-store/contract';
import type { SqlDriverAdapter, SqlQuery } from '@prisma/driver-adapter-utils';
import { type PlantRecord, plantTable } from '../../../plants/plant-store.js';
import { clearArguments, integer, text } from '../../queries.js';
import { isTombstone } from '../../store.js';
import { createSingleTable, type TableAccess } from '../single-table.js';
import type { ChooseConnections } from './direct-nodes.js';
import type { RunOnNode } from './durable-nodes.js';
import { readByRange } from './read-by-range.js';
import type { ShardMap } from './shard-map.js';
import type { Shard, ShardRouting } from './shard-queues.js';

const singleTable = createSingleTable(plantTable);

/** How many inserts may be in flight to one shard: the next batch grows while one is being stored. */
const insertsPerShard = 1;

/**
 * How long a node gets no insert after one has failed, in milliseconds. While a node is away, callers that retry at once
 * would otherwise cause thousands of attempts and of logged errors a second, at the expense of the other nodes' rate.
 */
const delayAfterFailureMs = 100;

interface ByShardOptions {
  /** `undefined` while the table is not distributed any more. */
  currentMap(): ShardMap | undefined;
  readonly runOnNode: RunOnNode;
  /** Where a statement for a node is sent; through the coordinator by default. */
  readonly chooseConnections?: ChooseConnections | undefined;
}

/**
 * The table that Citus distributes by the hash of the id. A statement whose rows are all in one shard is forwarded to its node
 * as it is, and commits there alone. One over several shards takes several round trips and a two-phase commit, which makes it
 * tens of times slower for a few rows: this happens only with a map that is no longer current.
 */
export function byShard(options: ByShardOptions): TableAccess<Plant> {
  const { currentMap, runOnNode, chooseConnections = throughCoordinator } = options;
  return {
    async insert(connections, plants) {
      const map = currentMap();
      if (map === undefined) return singleTable.insert(connections, plants);
      return forEachShard(
        map,
        plants,
        ({ id }) => id,
        (rows, node) =>
          runOnNode(node, () => chooseConnections(node, connections, (chosen) => insertRows(chosen, rows))),
      );
    },
    async find(connections, ids) {
      const map = currentMap();
      if (map === undefined) return singleTable.find(connections, ids);
      return forEachShard(
        map,
        ids,
        (id) => id,
        (found, node) =>
          runOnNode(node, () =>
            chooseConnections(node, connections, (chosen) => singleTable.find(chosen, found)),
          ),
      );
    },
    read: readByRange,
  };
}

const throughCoordinator: ChooseConnections = (_, toCoordinator, statement) => statement(toCoordinator);

/**
 * Routes each plant to its shard. All shards of a node fail together, so that it gets half of the inserts at most, unless it is
 * the only one.
 *
 * @param inserts how many inserts may be in flight to all shards
 */
export function routeByShard(currentMap: () => ShardMap | undefined, inserts: number): ShardRouting {
  return {
    shardOf: (id) => currentMap()?.shardOf(id) ?? 0,
    insertsPerShard,
    inserts,
    get nodes() {
      const map = currentMap();
      if (map === undefined) return undefined;
      const insertsPerNode = map.nodes.size === 1 ? inserts : Math.max(1, Math.floor(inserts / 2));
      return { nodeOf: (shard: Shard) => map.nodeOf(shard) ?? 0, insertsPerNode, delayAfterFailureMs };
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

/**
 * The most rows whose statement is prepared, which saves the coordinator a quarter of its work. Each connection keeps a plan for
 * each number of rows, 7 MB in all at the coordinator; larger batches save little and would need large plans.
 */
const preparedRows = 64;

/** The most rows whose statement is kept: the texts of all together take a megabyte. */
const keptRows = 256;

/** The statements by the number of their rows, and the names of those that are prepared. */
const statements: string[] = [];
const names = new Map<string, string>();

/** The name of an insert that is prepared; empty for any other statement. */
export function nameShardStatement(sql: string): string {
  return names.get(sql) ?? '';
}

/**
 * Inserts records of one shard as `TableAccess<Plant>` does. Citus finds the shard of the rows in a list of
 * values, but not in what `unnest` returns.
 */
async function insertRows(
  connections: SqlDriverAdapter,
  records: readonly PlantRecord[],
): Promise<readonly bigint[]> {
  const now = Date.now();
  const query: SqlQuery = {
    sql: records.some(isTombstone) ? insertOrEraseStatement(records) : insertStatement(records.length),
    args: records.flatMap((record) => {
      if (isTombstone(record)) return [record.id, ...plantTable.toTexts(record), null];
      const { id, addedAt = now } = record;
      return [id, ...plantTable.toTexts(record), addedAt === null ? null : BigInt(addedAt)];
    }),
    argTypes: records.flatMap(() => [integer, ...plantTable.texts.map(() => text), integer]),
  };
  const { rows } = await clearArguments(query, (statement) => connections.queryRaw(statement));
  return rows.map(([id]) => BigInt(String(id)));
}

/** The statement for so many rows. */
function insertStatement(rows: number): string {
  const known = statements[rows];
  if (known !== undefined) return known;
  const sql = `INSERT INTO ${plantTable.name} (${inserted.join(', ')}) VALUES ${valuesList(rows)}
    ON CONFLICT (id) DO NOTHING RETURNING id`;
  if (rows <= keptRows) statements[rows] = sql;
  if (rows <= preparedRows) names.set(sql, `insert_${rows}_plants`);
  return sql;
}

/** The statement for records with tombstones, which are too few to be worth keeping it. */
function insertOrEraseStatement(records: readonly PlantRecord[]): string {
  const rows = records.map((record, index) => `(${parametersOf(index)}, ${isTombstone(record)})`);
  return `INSERT INTO ${plantTable.name} (${inserted.join(', ')}, deleted) VALUES ${rows} ON CONFLICT (id)
    DO UPDATE SET ${plantTable.erased.join(', ')}, deleted = true
    WHERE excluded.deleted AND NOT ${plantTable.name}.deleted RETURNING id`;
}

const inserted = ['id', ...plantTable.texts, 'added_at'];

function valuesList(rows: number): string {
  return Array.from({ length: rows }, (_, index) => `(${parametersOf(index)})`).join(', ');
}

/** The parameters of a row. */
function parametersOf(index: number): string {
  const first = inserted.length * index + 1;
  return inserted
    .map((column, place) => `$${first + place}::${plantTable.texts.includes(column) ? 'text' : 'bigint'}`)
    .join(', ');
}
