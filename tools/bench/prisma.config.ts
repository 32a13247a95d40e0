import { defineConfig } from 'prisma/config';

// `prisma generate` downloads a schema engine that it never runs; naming any existing file spares the download.
if (process.argv.includes('generate')) process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= process.execPath;

export default defineConfig({});
