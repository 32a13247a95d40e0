import { query } from '@plant-store/postgresql-server';

/** Returns the group of the node of the plant with each id, in a database that is distributed. */
export async function locateIn(url: string, ids: readonly bigint[]): Promise<ReadonlyMap<bigint, number>> {
  const rows = await query<{ id: string; group: number }>(
    url,
    `SELECT id, groupid AS "group" FROM unnest($1::bigint[]) AS id JOIN pg_catalog.pg_dist_placement
       ON shardid = get_shard_id_for_distribution_column('plants', id)`,
    [ids],
  );
  return new Map(rows.map(({ id, group }) => [BigInt(id), group]));
}
