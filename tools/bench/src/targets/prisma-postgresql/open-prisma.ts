import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './generated/client.js';

/** As many connections as the service has by default. */
const poolSize = 10;

/** Opens a PostgreSQL database with Prisma, and creates its table. */
export async function openPrisma(databaseUrl: string): Promise<PrismaClient> {
  const adapter = new PrismaPg({ connectionString: databaseUrl, max: poolSize });
  const prisma = new PrismaClient({ adapter });
  await prisma.$executeRawUnsafe(createPlantsTable);
  return prisma;
}

const createPlantsTable = `
  CREATE TABLE IF NOT EXISTS plants (
    id BIGINT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    tag TEXT
  )`;
