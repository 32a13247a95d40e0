import type { NewPlant } from '@plant-store/contract';
import type { SqlDriverAdapter, SqlQuery } from '@prisma/driver-adapter-utils';
import type { Destination, Routing } from '../../../plants/routing.js';
import { clearArguments, integer, integers, text } from '../../queries.js';
import { type PlantRow, toRow } from '../../resolve-insert-outcomes.js';
import { isDurable } from '../durable-read.js';
import type { PlantStrategy } from '../postgresql-plant-store.js';
import type { ChooseConnections } from './direct-nodes.js';
import type { RunOnNode } from './overdue-statements.js';
import { readByRange } from './read-by-range.js';
import type { ShardMap } from './shard-map.js';
import type { ShardWatch } from './watch-shards.js';

/** How many inserts may be in flight to one shard: the next batch grows while one is being stored. */
const insertsPerShard = 1;

/**
 * How long a node gets no insert after one has failed, in milliseconds. While a node is away, callers that retry at once
 * would otherwise cause thousands of attempts and of logged errors a second, at the expense of the other nodes' rate.
 */
const delayAfterFailureMs = 100;

interface ByShardOptions {
  readonly shards: Omit<ShardWatch, 'close'>;
  /** How many inserts may be in flight to all shards. */
  readonly inserts: number;
  readonly runOnNode: RunOnNode;
  /** Where a statement for a node is sent; through the coordinator by default. */
  readonly chooseConnections?: ChooseConnections | undefined;
  /** Used while the table is not distributed. */
  readonly undistributed: PlantStrategy;
}

/**
 * The strategy for a table that Citus distributes by the hash of the id. A statement whose rows are all in one shard is
 * forwarded to its node as it is, and commits there alone. One over several shards takes several round trips and a two-phase
 * commit, which makes it tens of times slower for a few rows: this happens only with a map that is no longer current.
 */
export function byShard(options: ByShardOptions): PlantStrategy {
  const { shards, runOnNode, undistributed, chooseConnections = throughCoordinator } = options;
  const isDistributed = () => shards.current() !== undefined;
  return {
    routing: routeByShard(options),
    insert(connections, plants) {
      const map = shards.current();
      if (map === undefined) {
        shards.noteUse();
        return undistributed.insert(connections, plants);
      }
      return forEachShard(
        map,
        plants,
        ({ id }) => id,
        (rows, node) =>
          runOnNode(node, () => chooseConnections(node, connections, (chosen) => insertRows(chosen, rows))),
      );
    },
    find(connections, ids) {
      const map = shards.current();
      if (map === undefined) {
        return shards.mayBeDistributed() ? findRows(connections, ids) : undistributed.find(connections, ids);
      }
      return forEachShard(
        map,
        ids,
        (id) => id,
        (found, node) =>
          runOnNode(node, () => chooseConnections(node, connections, (chosen) => findRows(chosen, found))),
      );
    },
    async *read(connections, run, after, limits) {
      let last = after;
      let wasDistributed: boolean;
      do {
        wasDistributed = isDistributed();
        const read = wasDistributed ? readByRange : undistributed.read;
        for await (const page of read(connections, run, last, limits)) {
          if (!wasDistributed) shards.noteUse();
          yield page;
          last = page.at(-1)?.id;
          // The other way of reading goes on after the last plant.
          if (isDistributed() !== wasDistributed) break;
        }
      } while (isDistributed() !== wasDistributed);
    },
  };
}

const throughCoordinator: ChooseConnections = (_, toCoordinator, statement) => statement(toCoordinator);

/** All shards of a node fail together, so that it gets half of the inserts at most, unless it is the only one. */
function routeByShard({ shards, inserts, undistributed }: ByShardOptions): Routing {
  const currentMap = shards.current;
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
      const insertsPerGroup = map.nodes.size === 1 ? inserts : Math.max(1, Math.floor(inserts / 2));
      return {
        groupOf: (shard: Destination) => map.nodeOf(shard) ?? 0,
        insertsPerGroup,
        delayAfterFailureMs,
      };
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
 * Inserts the plants of one shard whose id is free, and returns these ids. Citus finds the shard of the rows in a list of
 * values, but not in what `unnest` returns.
 */
async function insertRows(
  connections: SqlDriverAdapter,
  plants: readonly NewPlant[],
): Promise<readonly bigint[]> {
  const query: SqlQuery = {
    sql: insertStatement(plants.length),
    args: plants.flatMap(({ id, name, tag }) => [id, name, tag ?? null]),
    argTypes: plants.flatMap(() => [integer, text, text]),
  };
  const { rows } = await clearArguments(query, (statement) => connections.queryRaw(statement));
  return rows.map(([id]) => BigInt(String(id)));
}

/** Reads existing rows of one shard, as durable as a commit on the node that has them. */
async function findRows(connections: SqlDriverAdapter, ids: readonly bigint[]): Promise<readonly PlantRow[]> {
  const { rows } = await connections.queryRaw({
    sql: `SELECT id, name, tag, ${isDurable} FROM plants WHERE id = ANY($1::bigint[])`,
    args: [ids],
    argTypes: [integers],
  });
  return rows.map(toRow);
}

/** The statement for so many rows. */
function insertStatement(rows: number): string {
  const known = statements[rows];
  if (known !== undefined) return known;
  const sql = `INSERT INTO plants (id, name, tag) VALUES ${valuesList(rows)}
    ON CONFLICT (id) DO NOTHING RETURNING id`;
  if (rows <= keptRows) statements[rows] = sql;
  if (rows <= preparedRows) names.set(sql, `insert_${rows}_plants`);
  return sql;
}

function valuesList(rows: number): string {
  const row = (_: unknown, index: number) =>
    `($${3 * index + 1}::bigint, $${3 * index + 2}::text, $${3 * index + 3}::text)`;
  return Array.from({ length: rows }, row).join(', ');
}
