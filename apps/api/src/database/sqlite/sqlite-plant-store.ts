import type { NewPlant } from '@plant-store/contract';
import type { ArgType, SqlDriverAdapter, SqlQuery } from '@prisma/driver-adapter-utils';
import type { InsertOutcome, PlantStore, StoredPlant } from '../../plants/plant-store.js';
import { orUnavailable } from './database-unavailable.js';
import { isIdTaken } from './driver-fault.js';
import type { PrismaClient } from './generated/client.js';

/**
 * Plants in SQLite: any number of them in one statement, which is one commit.
 *
 * @param connection a connection of Prisma's driver adapter for the inserts alone, so that none of them is ever a
 * part of a transaction that Prisma's client has open on its own
 */
export function createSqlitePlantStore(connection: SqlDriverAdapter, prisma: PrismaClient): PlantStore {
  return {
    insert: (plants) =>
      orUnavailable(async () => {
        if (plants.length === 0 || (await insertAll(connection, plants))) return plants.map(() => stored);
        const newIds = await insertNew(connection, plants);
        const existing = await findExisting(prisma, plants, newIds);
        return plants.map((plant) => settle(plant, newIds, existing));
      }),
  };
}

const stored: InsertOutcome = { stored: true };

/** Inserts the plants if all their ids are free, as they mostly are; otherwise it gives `false` and changes nothing. */
async function insertAll(connection: SqlDriverAdapter, plants: readonly NewPlant[]): Promise<boolean> {
  try {
    await connection.executeRaw(insertStatement(plants));
    return true;
  } catch (error) {
    if (isIdTaken(error)) return false;
    throw error;
  }
}

/** Inserts the plants whose id is free, and gives those ids. */
async function insertNew(connection: SqlDriverAdapter, plants: readonly NewPlant[]): Promise<Set<bigint>> {
  const { rows } = await connection.queryRaw(
    insertStatement(plants, 'ON CONFLICT (id) DO NOTHING RETURNING id'),
  );
  // The adapter gives an integer beyond 2^53 as text.
  return new Set(rows.map(([id]) => BigInt(String(id))));
}

const text = { scalarType: 'string', arity: 'scalar' } as const;
const integer = { scalarType: 'bigint', arity: 'scalar' } as const;

function insertStatement(plants: readonly NewPlant[], ending = ''): SqlQuery {
  const args: unknown[] = [];
  const argTypes: ArgType[] = [];
  for (const { id, name, tag = null } of plants) {
    args.push(id, name, tag);
    argTypes.push(integer, text, text);
  }
  const rows = `(?, ?, ?)${', (?, ?, ?)'.repeat(plants.length - 1)}`;
  return { sql: `INSERT INTO plants (id, name, tag) VALUES ${rows} ${ending}`, args, argTypes };
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
