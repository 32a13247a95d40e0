import { defineConfig } from 'prisma/config';

// `prisma generate` downloads a schema engine that it never runs; naming any existing file spares the download.
if (process.argv.includes('generate')) process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= process.execPath;

export default defineConfig({
  schema: 'prisma/sqlite/schema.prisma',
  migrations: { path: 'prisma/sqlite/migrations' },
  // For `prisma migrate status` and its like; the service reads its own configuration.
  datasource: { url: process.env['DATABASE_URL'] ?? 'file:../../data/plant-store.db' },
});
