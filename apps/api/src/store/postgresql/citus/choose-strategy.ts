import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlQuery } from '@prisma/driver-adapter-utils';
import type { Registry } from 'prom-client';
import { addGauge } from '../../../observe/metrics.js';
import type { PostgresqlLocation } from '../../database-location.js';
import { queryTimeoutMs } from '../connection.js';
import { type ConnectionPool, openPool } from '../open-pool.js';
import type { PlantStrategy } from '../postgresql-plant-store.js';
import { insertPlants, toOneDestination } from '../single-table.js';
import { byShard, nameShardStatement } from './by-shard.js';
import { createDirectNodes, type NodeConnections } from './direct-nodes.js';
import { createDurableNodes } from './durable-nodes.js';
import { createRunOnNode, type RunOnNode } from './overdue-statements.js';
import { type NodeAddress, nameOfNode } from './shard-map.js';
import { watchShards } from './watch-shards.js';

/** How many inserts are in flight: while one waits for the disk, the next one is sent and planned. */
const concurrentInserts = 2;

/** How plants are inserted, and what that needs. */
export interface ChosenStrategy {
  readonly strategy: PlantStrategy;
  /** Runs a statement for the shards of a node, as the strategy does. */
  readonly runOnNode: RunOnNode;
  close(): Promise<void>;
}

/**
 * Chooses how plants are inserted: each batch into one shard where Citus distributes the table, now or later, and as on one
 * PostgreSQL otherwise.
 *
 * @param hasCitus whether the database has the extension Citus at the start
 */
export async function chooseStrategy(
  { pool, size }: ConnectionPool,
  location: PostgresqlLocation,
  hasCitus: boolean,
  metrics?: Registry,
): Promise<ChosenStrategy> {
  const shards = await watchShards(pool, {
    hasCitus,
    onRead() {
      nodes.check();
      void direct?.refresh();
    },
  });
  const nameOf = (node: number) => {
    const address = shards.current()?.nodes.get(node);
    return address === undefined ? `of group ${node}` : nameOfNode(address);
  };
  const nodes = createDurableNodes({
    pool,
    currentMap: shards.current,
    runOnNode: createRunOnNode(location.statementTimeoutMs, nameOf),
  });
  const direct = location.directToNodes
    ? createDirectNodes({
        coordinator: pool,
        currentMap: shards.current,
        open: (node) => openNode(location, node),
        timeoutMs: queryTimeoutMs(location),
      })
    : undefined;
  if (direct !== undefined && metrics !== undefined) measureDirectNodes(direct.count, metrics);
  await direct?.refresh();
  const strategy = byShard({
    shards,
    // One connection stays for other queries, such as for access tokens.
    inserts: Math.max(1, size - 1),
    runOnNode: nodes.run,
    chooseConnections: direct?.run,
    undistributed: toOneDestination(Math.min(concurrentInserts, size)),
  });
  return {
    strategy,
    runOnNode: nodes.run,
    async close() {
      shards.close();
      await direct?.close();
    },
  };
}

function measureDirectNodes(count: () => number, registry: Registry): void {
  addGauge(registry, {
    name: 'plant_store_direct_nodes',
    help: 'Nodes of Citus that batches go straight to, with DATABASE_DIRECT_TO_NODES',
    read: count,
  });
}

/** Opens connections to a node, as the same user of the database of the same name. */
async function openNode(location: PostgresqlLocation, { host, port }: NodeAddress): Promise<NodeConnections> {
  const url = new URL(location.url);
  url.host = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  // The folder of the coordinator's socket would take precedence.
  url.searchParams.delete('host');
  const { pool, close } = openPool({ ...location, url: url.href }, false);
  const adapter = new PrismaPg(pool, {
    schema: location.schema,
    statementNameGenerator: nameStatement,
  });
  const connections = await adapter.connect();
  return {
    pool,
    connections,
    async close() {
      await connections.dispose();
      await close();
    },
  };
}

/**
 * Makes each connection keep the plans of the inserts, the statements that run all the time. Other statements are planned for
 * each call.
 */
export function nameStatement({ sql }: SqlQuery): string {
  return sql === insertPlants ? 'insert_plants' : nameShardStatement(sql);
}
