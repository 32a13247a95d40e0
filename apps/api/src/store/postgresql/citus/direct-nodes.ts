import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import type { Pool } from 'pg';
import { rejectAfter } from '../connection.js';
import { findDriverError, isCanceled, isConflict, isUnavailable } from '../errors.js';
import { type CitusNode, type NodeAddress, nameOfNode, type ShardMap, workersOf } from './shard-map.js';

/** Runs a statement for the shards of a node, on connections to it or to the coordinator. */
export type ChooseConnections = <Result>(
  node: number,
  toCoordinator: SqlDriverAdapter,
  statement: (connections: SqlDriverAdapter) => Promise<Result>,
) => Promise<Result>;

/** Connections to one node. */
export interface NodeConnections {
  readonly pool: Pick<Pool, 'query'>;
  readonly connections: SqlDriverAdapter;
  close(): Promise<void>;
}

/** Connections to the nodes that have shards. */
interface DirectNodes {
  /** Takes connections to the node once it has proved to be the one that the coordinator reaches. */
  readonly run: ChooseConnections;
  /** How many nodes are used directly. */
  count(): number;
  /** Opens connections to new nodes, and tries those that are not used directly. It never throws. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

interface DirectNodesOptions {
  readonly coordinator: Pick<Pool, 'query'>;
  currentMap(): ShardMap | undefined;
  /** Opens connections to a node; none has to be made before the first statement. */
  open(node: CitusNode): Promise<NodeConnections>;
  /** How long a server may take to prove what it is, or to answer a statement, in milliseconds. */
  readonly timeoutMs: number;
}

type OpenedNode = CitusNode & NodeConnections;

/**
 * Sends the statements for a shard straight to its node, and through the coordinator where that is not possible: to a node that
 * the service does not reach, that failed since it was last tried, or whose address means another server to the coordinator,
 * such as `localhost`, which must not get plants.
 */
export function createDirectNodes(options: DirectNodesOptions): DirectNodes {
  const { coordinator, currentMap, open, timeoutMs } = options;
  const opened = new Map<string, OpenedNode>();
  const used = new Map<number, OpenedNode>();
  let refreshing: Promise<void> | undefined;
  let isClosed = false;

  async function refresh(): Promise<void> {
    const map = currentMap();
    const workers = map === undefined ? [] : workersOf(map);
    // A statement that is still running there may take its time.
    void closeAllBut(new Set(workers.map(keyOf)));
    for (const worker of workers) {
      const key = keyOf(worker);
      if (!opened.has(key)) opened.set(key, { ...worker, ...(await open(worker)) });
    }
    await Promise.allSettled([...opened.values()].map(tryNode));
  }

  /** Nodes that are used are tried, too: a standby may have been promoted since. An error leaves it as it is. */
  async function tryNode(node: OpenedNode): Promise<void> {
    const identity = await rejectAfter(timeoutMs, readIdentity(node.pool));
    const expected = await rejectAfter(timeoutMs, readIdentityAt(coordinator, node));
    if (identity !== undefined && identity === expected) used.set(node.group, node);
    else suspend(node);
  }

  function suspend(node: OpenedNode): void {
    if (used.get(node.group) === node) used.delete(node.group);
  }

  async function closeAllBut(kept: ReadonlySet<string>): Promise<void> {
    const superfluous = [...opened].filter(([key]) => !kept.has(key));
    for (const [key, node] of superfluous) {
      opened.delete(key);
      suspend(node);
    }
    await Promise.allSettled(superfluous.map(([, node]) => node.close()));
  }

  return {
    async run(group, toCoordinator, statement) {
      const node = used.get(group);
      if (node === undefined) return statement(toCoordinator);
      try {
        // A statement whose answer is lost must not hold up those that could go through the coordinator.
        return await rejectAfter(timeoutMs, statement(node.connections));
      } catch (error) {
        if (isUnusable(error)) suspend(node);
        throw error;
      }
    },
    count: () => used.size,
    refresh() {
      if (isClosed) return Promise.resolve();
      refreshing ??= refresh()
        .catch(() => undefined)
        .finally(() => {
          refreshing = undefined;
        });
      return refreshing;
    },
    async close() {
      isClosed = true;
      await refreshing;
      await closeAllBut(new Set());
    },
  };
}

/** A node at an address: another address of the same group is another server. */
function keyOf(node: CitusNode): string {
  return `${node.group} ${nameOfNode(node)}`;
}

/** Whether a statement failed since its node cannot be used, as opposed to a conflict, or one that took too long. */
function isUnusable(error: unknown): boolean {
  const driverError = findDriverError(error);
  if (driverError === undefined || isConflict(driverError)) return false;
  return isUnavailable(driverError) && !isCanceled(driverError);
}

/**
 * What distinguishes a PostgreSQL server from any other, a primary from its standbys, and a promoted standby from the primary that
 * it was: the identifier that initdb chose, and the timeline.
 */
const selectIdentity = `
  SELECT system_identifier || ' ' || CASE WHEN pg_is_in_recovery() THEN 'standby'
    ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS identity
  FROM pg_catalog.pg_control_system()`;

/** The identity of the server that a connection leads to; `undefined` where it has no table for plants. */
async function readIdentity(server: Pick<Pool, 'query'>): Promise<string | undefined> {
  const { rows } = await server.query<{ identity: string }>(
    `${selectIdentity} WHERE to_regclass('plants') IS NOT NULL`,
  );
  return rows[0]?.identity;
}

/**
 * The identity of the server that the coordinator reaches at an address; `undefined` where it reaches none, or a node that does
 * not know where all shards are.
 */
async function readIdentityAt(
  coordinator: Pick<Pool, 'query'>,
  { host, port }: NodeAddress,
): Promise<string | undefined> {
  const { rows } = await coordinator.query<{ success: boolean; result: string }>(
    `SELECT success, result FROM master_run_on_worker(ARRAY[$1], ARRAY[$2::int], ARRAY[$3], false)
     WHERE EXISTS (SELECT FROM pg_catalog.pg_dist_node
       WHERE nodename = $1 AND nodeport = $2::int AND noderole = 'primary' AND isactive AND metadatasynced)`,
    [host, port, selectIdentity],
  );
  return rows[0]?.success === true ? rows[0].result : undefined;
}
