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
/** The cache stays from run to run, because Node.js distinguishes versions of itself and of a file. */
const compileCache = join(import.meta.dirname, '../../../node_modules/.cache/compiled');

/**
 * Starts the PostgreSQL server that the tests share. Each test creates its own databases on it. The processes of the tests, which start the
 * command hundreds of times, share its compiled code.
 */
export async function setup(project: TestProject): Promise<void> {
  process.env['NODE_COMPILE_CACHE'] = compileCache;
  // This mode tests only SQLite.
  if (project.vitest.config.mode === 'sqlite') return;
  server = await startPostgresql({
    // Its data does not outlive the run, so nothing needs to wait for the disk.
    fsync: 'off',
    // The databases are small, and removing one scans all buffers.
    shared_buffers: '16MB',
  });
  project.provide('postgresqlUrl', server.url);
}

export async function teardown(): Promise<void> {
  await server?.remove();
}
