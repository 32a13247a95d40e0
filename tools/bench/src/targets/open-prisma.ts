/** The part of Prisma's client that is used here; each engine has its own client. */
export interface Prisma {
  readonly plant: {
    create(query: { data: { id: number; name: string; tag: string | null } }): PromiseLike<unknown>;
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
