interface PlantData {
  id: number;
  name: string;
  tag: string | null;
}

interface PlantRow extends Omit<PlantData, 'id'> {
  id: bigint;
}

/** The part of Prisma's client that is used here; each engine has its own client. */
export interface Prisma {
  readonly plant: {
    create(query: { data: PlantData }): PromiseLike<unknown>;
    createMany(query: { data: PlantData[] }): PromiseLike<unknown>;
    findUnique(query: { where: { id: bigint } }): PromiseLike<PlantRow | null>;
    findMany(query: { orderBy: { id: 'asc' }; take: number }): PromiseLike<PlantRow[]>;
  };
  $disconnect(): Promise<void>;
}

/** Opens the database with the client of its engine; the other one is not loaded. */
export async function openPrisma(databaseUrl: string): Promise<Prisma> {
  const engine = databaseUrl.startsWith('file:')
    ? await import('./prisma-sqlite/open-prisma.js')
    : await import('./prisma-postgresql/open-prisma.js');
  return engine.openPrisma(databaseUrl);
}
