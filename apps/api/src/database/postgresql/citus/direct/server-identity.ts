import type { Pool } from 'pg';
import type { NodeAddress } from '../shard-map.js';

/**
 * What distinguishes a PostgreSQL server from any other, a primary from its standbys, and a promoted standby from the primary that
 * it was: the identifier that initdb chose, and the timeline.
 */
const selectIdentity = `
  SELECT system_identifier || ' ' || CASE WHEN pg_is_in_recovery() THEN 'standby'
    ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END AS identity
  FROM pg_catalog.pg_control_system()`;

/** The identity of the server that a connection leads to; `undefined` where it has no table for plants. */
export async function readIdentity(server: Pick<Pool, 'query'>): Promise<string | undefined> {
  const { rows } = await server.query<{ identity: string }>(
    `${selectIdentity} WHERE to_regclass('plants') IS NOT NULL`,
  );
  return rows[0]?.identity;
}

/**
 * The identity of the server that the coordinator reaches at an address; `undefined` where it reaches none, or a node that does
 * not know where all shards are.
 */
export async function readIdentityAt(
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
