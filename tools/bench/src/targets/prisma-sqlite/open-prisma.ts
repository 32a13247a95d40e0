import { PrismaBetterSqlite3 } from '@prisma/adapter-better-sqlite3';
import type { SqlDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { durablePragmas, openDurableSqlite } from '../durable-sqlite.js';
import { PrismaClient } from './generated/client.js';

/** Opens a SQLite database with Prisma, and creates its table. */
export async function openPrisma(databaseUrl: string): Promise<PrismaClient> {
  openDurableSqlite(databaseUrl).close();
  const prisma = new PrismaClient({ adapter: durableAdapter(databaseUrl) });
  await prisma.$connect();
  return prisma;
}

/** Prisma's adapter, with the durability set on the very connection that commits. */
function durableAdapter(url: string): SqlDriverAdapterFactory {
  const factory = new PrismaBetterSqlite3({ url });
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    async connect() {
      const connection = await factory.connect();
      await connection.executeScript(durablePragmas);
      return connection;
    },
  };
}
