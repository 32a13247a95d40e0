import pg from 'pg';
import { locate } from '../../../src/store/postgresql/citus/nodes.js';

/** Returns the node of the plant with each id, in a database that is distributed. */
export async function locateIn(url: string, ids: readonly bigint[]): Promise<ReadonlyMap<bigint, number>> {
  const connection = new pg.Client(url);
  await connection.connect();
  return locate(connection, ids).finally(() => connection.end());
}
