import type { Plant } from '@plant-store/contract';
import { PrismaPg } from '@prisma/adapter-pg';
import type { SqlQuery } from '@prisma/driver-adapter-utils';
import type { Registry } from '@prometheus-io/client';
import { addGauge, measureInserts } from '../../../observe/metrics.js';
import { type PlantStore, plantTable } from '../../../plants/plant-store.js';
import { createBatcher, type OpenWriter, type WriterOptions } from '../../batcher.js';
import type { BulkInserts, Database, OpenOptions } from '../../database.js';
import type { PostgresqlLocation } from '../../database-location.js';
import type { QueryWrapper } from '../../queries.js';
import { queryTimeoutMs } from '../connection.js';
import { type ConnectionPool, openPool } from '../open-pool.js';
import { createProbeCommit } from '../probe-commit.js';
import { composeStatements, type TableAccess } from '../single-table.js';
import { byShard, nameShardStatement, routeByShard } from './by-shard.js';
import { createDirectNodes, type NodeConnections } from './direct-nodes.js';
import { createDurableNodes, createRunOnNode } from './durable-nodes.js';
import { createShardHealth, createShardMonitor } from './shard-health.js';
import { type NodeAddress, nameOfNode, watchShards } from './shard-map.js';
import { createShardQueues } from './shard-queues.js';

/** The plants of a database that Citus distributes: each batch goes to one shard. */
export interface CitusPlants {
  readonly table: TableAccess<Plant>;
  readonly bulk: BulkInserts;
  /** As `Database.openWriter`, with a queue for each shard. */
  openWriter(store: CheckedStore, options: WriterOptions): OpenWriter;
  close(): Promise<void>;
}

/** The store over the table. */
interface CheckedStore
  extends Pick<Database, 'check'>,
    Pick<PlantStore, 'insert'>,
    Required<Pick<OpenOptions, 'log' | 'metrics'>> {
  readonly runQuery: QueryWrapper;
}

/** Opens what a distributed table needs besides its pool of connections to the coordinator. */
export async function openCitus(
  { pool, size }: ConnectionPool,
  location: PostgresqlLocation,
  metrics: Registry | undefined,
): Promise<CitusPlants> {
  const shards = await watchShards(pool, () => {
    nodes.check();
    void direct?.refresh();
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
  // One connection stays for other queries, such as for access tokens.
  const routing = routeByShard(shards.current, Math.max(1, size - 1));
  const probeCommit = createProbeCommit(pool);
  return {
    table: byShard({ currentMap: shards.current, runOnNode: nodes.run, chooseConnections: direct?.run }),
    bulk: divideBulk(routing.inserts),
    openWriter({ insert, metrics, log, check, runQuery }, { limits, callers, failingAfterMs }) {
      const measured = metrics === undefined ? { insert } : measureInserts({ insert }, metrics);
      const commits = createShardMonitor(measured, routing, failingAfterMs);
      const database = {
        check,
        probeCommit: (probe) =>
          runQuery(() =>
            probe === undefined ? probeCommit() : nodes.run(probe.node, () => probeCommit(probe)),
          ),
      } satisfies Parameters<typeof createShardHealth>[0]['database'];
      return {
        plants: createBatcher(commits.insert, limits, (onReady) =>
          createShardQueues(limits, routing, callers, onReady),
        ),
        health: createShardHealth({ commits, database, log }),
      };
    },
    async close() {
      shards.close();
      await direct?.close();
    },
  };
}

/** The largest batch, as a multiple of one for a single shard: a statement of PostgreSQL has 65,535 values at most. */
const maxBatchFactor = 8;

/**
 * The shards share a batch of an import among them, so it is as many times larger as inserts may be in flight, but half of that,
 * since a second batch keeps those busy that are done with the first.
 */
export function divideBulk(inserts: number): BulkInserts {
  const batchFactor = Math.min(Math.max(Math.floor(inserts / 2), 1), maxBatchFactor);
  return { concurrentBatches: Math.min(2, inserts), batchFactor };
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

const { insert: insertPlants } = composeStatements(plantTable);

/**
 * Makes each connection keep the plans of the inserts, the statements that run all the time. Other statements are planned for
 * each call.
 */
export function nameStatement({ sql }: SqlQuery): string {
  return sql === insertPlants ? 'insert_plants' : nameShardStatement(sql);
}
