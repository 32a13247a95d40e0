import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import {
  type InsertOutcome,
  isTombstone,
  type PlantStore,
  type StoredRecord,
  stored,
  withoutTombstones,
} from '../../plants/plant-store.js';
import type { QueryWrapper } from '../queries.js';
import { insertInOrder, resolveInsertOutcomes } from '../resolve-insert-outcomes.js';
import { listIds, type PlantTable } from './single-table.js';

/** Creates the plant store of PostgreSQL. */
export function createPostgresqlPlantStore(
  connections: SqlDriverAdapter,
  runQuery: QueryWrapper,
  table: PlantTable,
): PlantStore {
  async function insert(records: readonly StoredRecord[]): Promise<readonly InsertOutcome[]> {
    const sorted = records.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
    const newIds = records.length === 0 ? [] : await table.insert(connections, sorted);
    if (newIds.length === records.length) return records.map(() => stored);
    return resolveInsertOutcomes(records, new Set(newIds), (ids) => table.find(connections, ids));
  }

  return {
    insert(records) {
      // Each part runs by itself, since a retry of one that was carried out would find its own plants.
      const run = (part: readonly StoredRecord[]) => runQuery(() => insert(part));
      return records.some(isTombstone) ? insertInOrder(records, run) : run(records);
    },
    find: (ids) => runQuery(() => table.find(connections, ids)),
    list: (query, limits) =>
      runQuery(async () => {
        const { ids, last } = await listIds(connections, query, limits);
        const found = ids.length === 0 ? [] : await table.find(connections, ids);
        const byId = new Map(found.map((plant) => [plant.id, plant]));
        // One may have been deleted since its id was read.
        return { plants: withoutTombstones(ids.flatMap((id) => byId.get(id) ?? [])), last };
      }),
    read: (after, limits) => table.read(connections, runQuery, after, limits),
  };
}
