import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import type { QueryWrapper } from '../queries.js';
import { insertInOrder, resolveInsertOutcomes } from '../resolve-insert-outcomes.js';
import {
  type InsertOutcome,
  isTombstone,
  type Store,
  type StoredRecord,
  stored,
  withoutTombstones,
} from '../store.js';
import type { Table } from '../table.js';
import { listIds, type TableAccess } from './single-table.js';

/** Creates the store of a table on PostgreSQL. */
export function createPostgresqlStore<Resource>(
  connections: SqlDriverAdapter,
  runQuery: QueryWrapper,
  table: Table<Resource>,
  access: TableAccess<Resource>,
): Store<Resource> {
  async function insert(
    records: readonly StoredRecord<Resource>[],
  ): Promise<readonly InsertOutcome<Resource>[]> {
    const sorted = records.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
    const newIds = records.length === 0 ? [] : await access.insert(connections, sorted);
    if (newIds.length === records.length) return records.map(() => stored);
    return resolveInsertOutcomes(records, new Set(newIds), (ids) => access.find(connections, ids));
  }

  return {
    insert(records) {
      // Each part runs by itself, since a retry of one that was carried out would find its own plants.
      const run = (part: readonly StoredRecord<Resource>[]) => runQuery(() => insert(part));
      return records.some(isTombstone) ? insertInOrder(records, run) : run(records);
    },
    find: (ids) => runQuery(() => access.find(connections, ids)),
    list: (query, limits) =>
      runQuery(async () => {
        const { ids, last } = await listIds(connections, table, query, limits);
        const found = ids.length === 0 ? [] : await access.find(connections, ids);
        const byId = new Map(found.map((plant) => [plant.id, plant]));
        // One may have been deleted since its id was read.
        return { plants: withoutTombstones(ids.flatMap((id) => byId.get(id) ?? [])), last };
      }),
    read: (after, limits) => access.read(connections, runQuery, after, limits),
  };
}
