import type { ClientBase, Pool } from 'pg';
import { suppressesWarnings } from '../connection.js';
import { findDriverError } from '../errors.js';

type Coordinator = Pick<ClientBase | Pool, 'query'>;

/** The group of the coordinator. */
export const coordinatorGroup = 0;

/** A node of Citus that has plants. */
export interface CitusNode {
  /** The number that it shares with its standbys. */
  readonly group: number;
  /** Its address, `host:port`, as the coordinator reaches it. */
  readonly name: string;
  readonly shards: number;
  /** The fraction of all ids that it has, and the least that one of its shards has, from 0 to 1. */
  readonly share: number;
  readonly smallestShare: number;
}

/**
 * Reads which nodes have plants (https://docs.citusdata.com/en/stable/develop/api_metadata.html); none where the table is not
 * distributed by the hash of the id. It reads the catalog alone, so it works while nodes are away.
 */
export async function readNodes(coordinator: Coordinator): Promise<readonly CitusNode[]> {
  const { rows } = await coordinator.query<CitusNode>(`
    SELECT groupid AS "group", coalesce(min(nodename || ':' || nodeport), 'of group ' || groupid) AS name,
      count(*)::int AS shards, sum(share)::float AS share, min(share)::float AS "smallestShare"
    FROM (
      SELECT shardid, (shardmaxvalue::float - shardminvalue::float + 1) / 2 ^ 32 AS share
      FROM pg_catalog.pg_dist_shard JOIN pg_catalog.pg_dist_partition USING (logicalrelid)
      WHERE logicalrelid = to_regclass('plants') AND partmethod = 'h'
        AND column_to_column_name(logicalrelid, partkey) = 'id'
    ) AS shard JOIN pg_catalog.pg_dist_placement USING (shardid)
    LEFT JOIN pg_catalog.pg_dist_node USING (groupid) WHERE noderole IS NULL OR noderole = 'primary'
    GROUP BY groupid ORDER BY groupid`);
  return rows;
}

/** Asks Citus on which node each of these ids is, by its group. */
export async function locate(coordinator: Coordinator, ids: readonly bigint[]): Promise<Map<bigint, number>> {
  const { rows } = await coordinator.query<{ id: string; group: number }>(
    `SELECT id, groupid AS "group" FROM unnest($1::bigint[]) AS id JOIN pg_catalog.pg_dist_placement
       ON shardid = get_shard_id_for_distribution_column('plants', id)`,
    [ids],
  );
  return new Map(rows.map(({ id, group }) => [BigInt(id), group]));
}

const lowest = `(-9223372036854775808)::bigint`;

/** Finds an id on a node that no plant should have: one of the lowest; `undefined` if it has none of these. */
export async function findIdOn(coordinator: Coordinator, group: number): Promise<bigint | undefined> {
  const { rows } = await coordinator.query<{ id: string }>(
    `SELECT id FROM generate_series(${lowest}, ${lowest} + 9999) AS id JOIN pg_catalog.pg_dist_placement
       ON shardid = get_shard_id_for_distribution_column('plants', id) WHERE groupid = $1 LIMIT 1`,
    [group],
  );
  return rows[0] && BigInt(rows[0].id);
}

/** Settings of a node, as they are on the coordinator's connections to it, which store plants. */
export interface NodeSettings {
  /** The values of `synchronous_commit`, `client_min_messages`, `fsync`, `full_page_writes` and `synchronous_standby_names`. */
  readonly commits: string;
  readonly messages: string;
  readonly fsync: string;
  readonly pages: string;
  readonly names: string;
  /** How many standbys or backups receive its log. */
  readonly receivers: number;
}

const selectSettings = `
  SELECT json_build_object(
    'commits', current_setting('synchronous_commit'), 'messages', current_setting('client_min_messages'),
    'fsync', current_setting('fsync'), 'pages', current_setting('full_page_writes'),
    'names', current_setting('synchronous_standby_names'),
    'receivers', (SELECT count(*) FROM pg_stat_replication))`;

/**
 * Reads the settings of a node.
 *
 * @throws {Error} as one of the server, when the coordinator does not reach the node, or the node does not answer
 */
export async function readNodeSettings(
  coordinator: Coordinator,
  { group, name }: Pick<CitusNode, 'group' | 'name'>,
): Promise<NodeSettings> {
  // The address is read again, since a standby may have taken the place of the node.
  const asked = coordinator.query<{ success: boolean; result: string }>(
    `SELECT success, result FROM pg_catalog.pg_dist_node,
       master_run_on_worker(ARRAY[nodename], ARRAY[nodeport], ARRAY[$2], false)
     WHERE groupid = $1 AND noderole = 'primary'`,
    [group, selectSettings],
  );
  const { rows } = await asked.catch((error: unknown) => {
    // 57014 is query_canceled, by its timeout.
    throw findDriverError(error)?.code === '57014' ? serverError('57014', `${name} does not answer`) : error;
  });
  const { success, result } = rows[0] ?? { success: false, result: `${name} is no node any more` };
  if (success) return JSON.parse(result);
  // 08006 is connection_failure, as for a statement that needs this node. Citus gives the name in most reasons.
  throw serverError('08006', result.includes(name) ? result : `${name}: ${result}`);
}

/** An error as the driver throws those of the server. */
export function serverError(code: string, message: string): Error {
  return Object.assign(new Error(message), { severity: 'ERROR', code });
}

/** Why a plant may be lost although its statement on a node has succeeded, and what to do; `undefined` if it may not. */
export function findUndurable(
  { commits, messages }: NodeSettings,
  name: string,
): { readonly found: string; readonly advice: string } | undefined {
  const adviseToSet = (setting: string) =>
    `Set it for the user, on the coordinator while all nodes run: ALTER ROLE … SET ${setting}. Then start the service again.`;
  if (commits === 'off')
    return {
      found: `commits on its node ${name} do not wait for the disk (synchronous_commit = off)`,
      advice: adviseToSet('synchronous_commit = on'),
    };
  if (suppressesWarnings(messages))
    return {
      found: `its node ${name} sends no warnings (client_min_messages), one of which reports that a commit did not wait for its standby`,
      advice: adviseToSet('client_min_messages = warning'),
    };
  return undefined;
}
