import type { ClientBase } from 'pg';
import { OperatorError } from '../../../errors/operator-error.js';
import { retry } from '../../../runtime/timing.js';
import {
  isLockTimeout,
  lockTimeoutMs,
  migrationLock,
  migrationTimeoutMs,
  retryDelayMs,
} from '../migrate-postgresql.js';
import {
  checkTriggers,
  countShardNodes,
  impossible,
  readDistribution,
  type TableDistribution,
} from './citus-catalog.js';

/** How the plants are distributed. */
export interface Distribution extends TableDistribution {
  /** How many plants were moved to the shards; `undefined` when they were distributed before. */
  readonly moved: bigint | undefined;
}

/** How many plants share a commit depends on it: they wait for those of the same shard. docs/citus.md has the figures. */
const shardsPerNode = 2;
/** Enough for a second worker node to get half of them. */
const fewestShards = 4;

/** The number of shards for so many nodes, where none is given: 2 for each node, and at least 4. */
export function defaultShards(nodes: number): number {
  return Math.max(fewestShards, shardsPerNode * nodes);
}

const lockPolicy = { timeoutMs: migrationTimeoutMs, delayMs: retryDelayMs };

/**
 * Makes `plants` a table that is distributed by id on a Citus cluster, in one transaction, and removes the copy that stays on
 * the coordinator. Inserts wait for the transaction; reads do not. A table that another program has locked is retried for a
 * minute. When it fails, the caller closes the connection, which rolls back.
 *
 * @throws {OperatorError} when the table cannot be distributed, or is distributed over another number of shards than asked for
 */
export async function distributePlants(
  connection: ClientBase,
  shards: number | undefined,
): Promise<Distribution> {
  const count = shards ?? defaultShards(await countShardNodes(connection));
  const moved = await retry(() => moveToShards(connection, count), isLockTimeout, lockPolicy);
  const table = await readDistribution(connection);
  if (table === undefined) throw impossible('another program has undone it meanwhile');
  if (moved === undefined && shards !== undefined && shards !== table.shards)
    throw otherShards(table, shards);
  await removeLocalCopy(connection);
  return { ...table, moved };
}

/** Distributes the table, and returns how many plants it has; `undefined` if it is distributed already. */
async function moveToShards(connection: ClientBase, shards: number): Promise<bigint | undefined> {
  await connection.query(`BEGIN; SET LOCAL statement_timeout = ${migrationTimeoutMs}`);
  try {
    // Of two commands at the same time, the second one finds the table distributed.
    await connection.query('SELECT pg_advisory_xact_lock($1)', [migrationLock]);
    if ((await readDistribution(connection)) !== undefined) {
      await connection.query('ROLLBACK');
      return undefined;
    }
    await checkTriggers(connection);
    await connection.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
    await connection.query('LOCK TABLE plants IN EXCLUSIVE MODE');
    // The copy of a large store takes hours.
    await connection.query('SET LOCAL statement_timeout = 0');
    const before = await countPlants(connection);
    await connection.query(
      `SELECT create_distributed_table('plants', 'id', shard_count => $1, colocate_with => 'none')`,
      [shards],
    );
    const after = await countPlants(connection);
    if (after !== before) throw impossible(`its shards would have ${after} of ${before} plants`);
    await connection.query('COMMIT');
    return after;
  } catch (error) {
    // Once the connection is broken, the server rolls back by itself.
    await connection.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}

async function countPlants(connection: ClientBase): Promise<bigint> {
  const { rows } = await connection.query<{ plants: string }>('SELECT count(*) AS plants FROM plants');
  return BigInt(rows[0]?.plants ?? 0);
}

function otherShards({ shards }: TableDistribution, wanted: number): OperatorError {
  const how =
    wanted > shards
      ? 'Split shards one by one while the service runs: SELECT citus_split_shard_by_split_points(…)'
      : `Reads and inserts wait while all plants are copied: SELECT alter_distributed_table('plants', shard_count => ${wanted})`;
  return new OperatorError(
    `The plants are distributed already, over ${shards} shards, which this command does not change to ${wanted}. ${how}. docs/citus.md has the steps.`,
  );
}

/**
 * Frees the disk space of the rows that the table had on the coordinator, which nothing reads any more. It needs a moment
 * without any reader, so it has a transaction of its own: a long export must not undo the move.
 */
async function removeLocalCopy(connection: ClientBase): Promise<void> {
  const { rows } = await connection.query<{ hasCopy: boolean }>(`
    SELECT COALESCE(sum(pg_relation_size(oid)), 0) > 0 AS "hasCopy" FROM pg_catalog.pg_class
    WHERE oid = to_regclass('plants')
      OR oid IN (SELECT inhrelid FROM pg_catalog.pg_inherits WHERE inhparent = to_regclass('plants'))`);
  if (!rows[0]?.hasCopy) return;
  try {
    await retry(() => truncateLocalCopy(connection), isLockTimeout, lockPolicy);
  } catch (error) {
    if (!isLockTimeout(error)) throw error;
    throw new OperatorError(
      'The plants are distributed, but the former copy still takes disk space on the coordinator, since another program has read the table for a minute, such as a dump. Run the command again once it has ended, which removes the copy.',
      { cause: error },
    );
  }
}

async function truncateLocalCopy(connection: ClientBase): Promise<void> {
  await connection.query(`BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs}`);
  try {
    await connection.query(`SELECT truncate_local_data_after_distributing_table('plants')`);
    await connection.query('COMMIT');
  } catch (error) {
    await connection.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
}
