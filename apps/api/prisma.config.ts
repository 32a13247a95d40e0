import { defineConfig } from 'prisma/config';

// `prisma generate` downloads a schema engine that it never runs; naming any existing file spares the download.
if (process.argv.includes('generate')) process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= process.execPath;

// For `prisma migrate status` and its like; the service reads its own configuration.
const url = process.env['DATABASE_URL'] ?? 'file:../../data/plant-store.db';
const engine = /^postgres(ql)?:/.test(url) ? 'postgresql' : 'sqlite';

export default defineConfig({
  schema: `prisma/${engine}/schema.prisma`,
  migrations: { path: `prisma/${engine}/migrations` },
  datasource: { url },
});
