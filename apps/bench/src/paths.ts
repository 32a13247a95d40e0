import { fileURLToPath } from 'node:url';

function inRepository(path: string): string {
  return fileURLToPath(new URL(`../../../${path}`, import.meta.url));
}

/** The files that measurements leave, all of them committed. */
export const resultFiles = {
  contest: inRepository('apps/bench/results/latest.json'),
  postgresql: inRepository('apps/bench/results/postgresql.json'),
  growth: inRepository('apps/bench/results/growth.json'),
  start: inRepository('apps/bench/results/start.json'),
  client: inRepository('apps/bench/results/client.json'),
  chart: inRepository('docs/performance.svg'),
};

/** Where databases lie while they are measured: beside the code, since a system's temp folder may be in memory. */
export const workFolder = inRepository('apps/bench/data');
