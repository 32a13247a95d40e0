import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { durablePragmas, openDurableSqlite } from './durable-sqlite.js';
import type { PrismaClient } from './generated/sqlite/client.js';
import { createPlantsTable } from './settings.js';

/** Opens a database with the Prisma client of its engine, and creates the table. Does not load the client of the other engine. */
export async function openPrisma(databaseUrl: string): Promise<PrismaClient> {
  const isSqlite = databaseUrl.startsWith('file:');
  const adapter = await (isSqlite ? prepareSqlite(databaseUrl) : preparePostgresql(databaseUrl));
  const client = `./generated/${isSqlite ? 'sqlite' : 'postgresql'}/client.js`;
  // The client for PostgreSQL has the same types.
  const { PrismaClient }: typeof import('./generated/sqlite/client.js') = await import(client);
  const prisma = new PrismaClient({ adapter });
  if (!isSqlite) await prisma.$executeRawUnsafe(createPlantsTable);
  return prisma;
}

async function preparePostgresql(connectionString: string): Promise<SqlDriverAdapterFactory> {
  const { PrismaPg } = await import('@prisma/adapter-pg');
  // As many connections as the service has by default.
  return new PrismaPg({ connectionString, max: 10 });
}

async function prepareSqlite(url: string): Promise<SqlDriverAdapterFactory> {
  openDurableSqlite(url).close();
  const { PrismaBetterSqlite3 } = await import('@prisma/adapter-better-sqlite3');
  const factory = new PrismaBetterSqlite3({ url });
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    async connect() {
      const connection = await factory.connect();
      // Durability is a setting of each connection.
      await connection.executeScript(durablePragmas);
      return connection;
    },
  };
}
