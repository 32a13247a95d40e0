import type { NewPlant } from '@plant-store/contract';
import { stringifyExactJson } from '@plant-store/contract/exact-json/stringify';
import type { InsertOutcome, PlantStore, StoredPlant } from '../../plants/plant-store.js';
import { orUnavailable } from './database-unavailable.js';
import type { PrismaClient } from './generated/client.js';

/** Plants in SQLite: any number of them in one statement, which is one commit. */
export function createSqlitePlantStore(prisma: PrismaClient): PlantStore {
  return {
    insert: (plants) =>
      orUnavailable(async () => {
        const newRows = await insertNew(prisma, plants);
        if (newRows.length === plants.length) return plants.map(() => stored);
        const newIds = new Set(newRows.map(({ id }) => BigInt(id)));
        const existing = await findExisting(prisma, plants, newIds);
        return plants.map((plant) => settle(plant, newIds, existing));
      }),
  };
}

const stored: InsertOutcome = { stored: true };

/** Inserts the plants whose id is free and gives those ids. The rows travel as one JSON parameter. */
function insertNew(prisma: PrismaClient, plants: readonly NewPlant[]): Promise<{ id: string }[]> {
  const rows = stringifyExactJson(plants.map(({ id, name, tag = null }) => [id, name, tag]));
  // As text, since Prisma rounds a large integer of a raw query.
  return prisma.$queryRaw<{ id: string }[]>`
    INSERT INTO plants (id, name, tag)
    SELECT value ->> 0, value ->> 1, value ->> 2 FROM json_each(${rows}) WHERE true
    ON CONFLICT (id) DO NOTHING
    RETURNING CAST(id AS TEXT) AS id`;
}

/** The plants that hold the ids which were not free. A plant never changes, so reading it later reads the same. */
async function findExisting(
  prisma: PrismaClient,
  plants: readonly NewPlant[],
  newIds: ReadonlySet<bigint>,
): Promise<ReadonlyMap<bigint, StoredPlant>> {
  const seen = new Set<bigint>();
  const taken: bigint[] = [];
  for (const { id } of plants) {
    if (!newIds.has(id) || seen.has(id)) taken.push(id);
    seen.add(id);
  }
  const rows = await prisma.plant.findMany({ where: { id: { in: taken } } });
  return new Map(rows.map(({ id, name, tag }) => [id, tag === null ? { id, name } : { id, name, tag }]));
}

/** The outcome of one plant; the first of its id takes the new id away from those after it. */
function settle(
  { id }: NewPlant,
  newIds: Set<bigint>,
  existing: ReadonlyMap<bigint, StoredPlant>,
): InsertOutcome {
  if (newIds.delete(id)) return stored;
  const plant = existing.get(id);
  if (plant === undefined) throw new Error(`The plant ${id} is neither stored nor there`);
  return { stored: false, existing: plant };
}
