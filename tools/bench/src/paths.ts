import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

function inRepository(path: string): string {
  return fileURLToPath(new URL(`../../../${path}`, import.meta.url));
}

/** The files that measurements write, all of them committed. */
export const resultFiles = {
  comparison: inRepository('tools/bench/results/latest.json'),
  postgresql: inRepository('tools/bench/results/postgresql.json'),
  growth: inRepository('tools/bench/results/growth.json'),
  operations: inRepository('tools/bench/results/operations.json'),
  operationsPostgresql: inRepository('tools/bench/results/operations-postgresql.json'),
  start: inRepository('tools/bench/results/start.json'),
  client: inRepository('tools/bench/results/client.json'),
  chart: inRepository('docs/use/performance.svg'),
};

/**
 * Where the databases are while they are measured: beside the code, since the system's temporary folder may be in memory;
 * or in /var/tmp if other users have no access to this repository, since PostgreSQL started by root runs as another user.
 */
export const workFolder = isOpenToAll(inRepository('tools/bench'))
  ? inRepository('tools/bench/data')
  : join('/var/tmp', 'plant-store-bench');

/** Whether every user may access a folder and its parents. */
function isOpenToAll(folder: string): boolean {
  const parent = dirname(folder);
  return (statSync(folder).mode & 0o001) !== 0 && (parent === folder || isOpenToAll(parent));
}
