import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { startPostgresql, type TestPostgresql } from './start-postgresql.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URI of the PostgreSQL server that the tests share, without a database. */
    readonly postgresqlUrl: string;
  }
}

let server: TestPostgresql | undefined;
/** Kept from run to run: Node.js tells versions of itself and of a file apart. */
const compileCache = join(import.meta.dirname, '../../../node_modules/.cache/compiled');

/**
 * Starts the PostgreSQL server that the tests share; each test creates its own databases on it. And has the processes of the
 * tests, which start the command hundreds of times, share its compiled code.
 */
export async function setup(project: TestProject): Promise<void> {
  process.env['NODE_COMPILE_CACHE'] = compileCache;
  // All that this mode tests is on SQLite.
  if (project.vitest.config.mode === 'sqlite') return;
  server = await startPostgresql({
    // Its data does not outlive the run, so nothing needs to wait for the disk.
    fsync: 'off',
    // Its databases are small, and each that is removed is looked for in all of it.
    shared_buffers: '16MB',
  });
  project.provide('postgresqlUrl', server.url);
}

export async function teardown(): Promise<void> {
  await server?.remove();
}
