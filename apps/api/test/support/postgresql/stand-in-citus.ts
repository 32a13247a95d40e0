import { query } from '@plant-store/postgresql-server';
import { allTables, type Table } from '../../../src/store/table.js';
import { openTestDatabase } from '../database/create-test-database.js';

/** The cluster that `createStandInCitus` imitates. */
export interface StandInCitus {
  /** How many worker nodes may have shards. */
  readonly nodes: number;
  /** Whether the database is on the coordinator. */
  readonly isCoordinator?: boolean;
}

/**
 * Creates the part of the Citus catalog that the service reads, and functions that only record in it what Citus would do. So most of the
 * service can be tested without a cluster. `pnpm test:on citus` tests with one.
 */
export async function createStandInCitus(url: string, cluster: StandInCitus): Promise<void> {
  const { nodes, isCoordinator = true } = cluster;
  await query(
    url,
    `
      SET allow_system_table_mods = on;
      SET search_path = pg_catalog;
      CREATE TABLE pg_dist_local_group AS SELECT ${isCoordinator ? 0 : 1} AS groupid;
      CREATE TABLE pg_dist_node AS
        SELECT node AS groupid, 'worker-' || node AS nodename, 5432 AS nodeport, 'primary' AS noderole, true AS isactive, node > 0 AS shouldhaveshards
        FROM generate_series(0, ${nodes}) AS node;
      CREATE TABLE pg_dist_partition (logicalrelid regclass, partmethod text, partkey text, repmodel text);
      CREATE TABLE pg_dist_shard (shardid bigint, logicalrelid regclass, shardminvalue text, shardmaxvalue text);
      CREATE TABLE pg_dist_placement (shardid bigint, groupid int, shardstate int DEFAULT 1);
      CREATE TABLE local_copies (removals int);
      CREATE FUNCTION public.column_to_column_name(regclass, key text) RETURNS text LANGUAGE sql AS 'SELECT key';
      CREATE FUNCTION public.get_shard_id_for_distribution_column(name regclass, id bigint) RETURNS bigint LANGUAGE sql AS $$
        SELECT shardid FROM pg_dist_shard WHERE logicalrelid = name AND hashint8(id) BETWEEN shardminvalue::bigint AND shardmaxvalue::bigint$$;
      CREATE FUNCTION public.master_run_on_worker(names text[], ports int[], commands text[], parallel boolean)
      RETURNS TABLE (success boolean, result text) LANGUAGE plpgsql AS $$
      BEGIN
        success = true;
        EXECUTE commands[1] INTO result;
        RETURN NEXT;
      END$$;
      CREATE FUNCTION public.create_distributed_table(name regclass, key text, shard_count int DEFAULT NULL, colocate_with text DEFAULT 'none')
      RETURNS void LANGUAGE sql AS $$
        INSERT INTO pg_dist_partition VALUES (name, 'h', key, 's');
        WITH shards AS (
          SELECT coalesce(shard_count, (SELECT count(*) FROM pg_dist_shard WHERE logicalrelid = to_regclass(colocate_with))) AS number,
            (SELECT count(*) FROM pg_dist_shard) AS before
        ), added AS (
          INSERT INTO pg_dist_shard
          SELECT before + shard, name, (2 ^ 32 * (shard - 1) / number - 2 ^ 31)::bigint, (2 ^ 32 * shard / number - 2 ^ 31)::bigint - 1
          FROM shards, generate_series(1, number) AS shard
        )
        INSERT INTO pg_dist_placement SELECT before + shard, 1 + shard % ${Math.max(nodes, 1)} FROM shards, generate_series(1, number) AS shard;
      $$;
      CREATE FUNCTION public.truncate_local_data_after_distributing_table(name regclass) RETURNS void LANGUAGE plpgsql AS $$
      BEGIN
        EXECUTE format('LOCK TABLE %s IN ACCESS EXCLUSIVE MODE', name);
        INSERT INTO local_copies VALUES (1);
      END$$`,
  );
}

/** Creates the tables of a database, and distributes them over two nodes. */
export async function distributeStandIn(url: string, tables: readonly Table[] = allTables): Promise<void> {
  await (await openTestDatabase({ url })).close();
  await createStandInCitus(url, { nodes: 2 });
  for (const [at, { name }] of tables.entries())
    await query(
      url,
      `SELECT create_distributed_table('${name}', 'id', ${at === 0 ? `shard_count => 4` : `colocate_with => '${tables[0]?.name}'`})`,
    );
}
