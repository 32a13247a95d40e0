import type { SqlDriverAdapter } from '@prisma/driver-adapter-utils';
import { type PlantStore, stored } from '../../plants/plant-store.js';
import type { QueryWrapper } from '../queries.js';
import { resolveInsertOutcomes } from '../resolve-insert-outcomes.js';
import { listIds, type PlantTable } from './single-table.js';

/** Creates the plant store of PostgreSQL. */
export function createPostgresqlPlantStore(
  connections: SqlDriverAdapter,
  runQuery: QueryWrapper,
  table: PlantTable,
): PlantStore {
  return {
    insert: (plants) =>
      runQuery(async () => {
        const sorted = plants.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
        const newIds = plants.length === 0 ? [] : await table.insert(connections, sorted);
        if (newIds.length === plants.length) return plants.map(() => stored);
        return resolveInsertOutcomes(plants, new Set(newIds), (ids) => table.find(connections, ids));
      }),
    find: (ids) => runQuery(() => table.find(connections, ids)),
    list: (query, limits) =>
      runQuery(async () => {
        const { ids, last } = await listIds(connections, query, limits);
        const found = ids.length === 0 ? [] : await table.find(connections, ids);
        const byId = new Map(found.map((plant) => [plant.id, plant]));
        return { plants: ids.flatMap((id) => byId.get(id) ?? []), last };
      }),
    read: (after, limits) => table.read(connections, runQuery, after, limits),
  };
}
