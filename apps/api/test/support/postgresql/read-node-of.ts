import pg from 'pg';
import { readShardMap } from '../../../src/store/postgresql/citus/shard-map.js';

/** Returns a function that finds the node of the plant with an id, in a database that is distributed. */
export async function readNodeOf(url: string): Promise<(id: bigint) => number | undefined> {
  const connection = new pg.Client(url);
  await connection.connect();
  const map = await readShardMap(connection).finally(() => connection.end());
  return (id) => map?.nodeOf(map.shardOf(id));
}
