import { countOf, formatCount, formatMemory, formatMs, formatRatio, formatTable } from '@plant-store/report';
import type { ComparisonResults } from './comparison-results.js';

const head = [
  '',
  'requests/s',
  'slowest–fastest',
  'p50 ms',
  'p99 ms',
  'vs Plant Store',
  'errors',
  'peak memory',
  'stored',
];

/** One table for each number of connections. */
export function comparisonTables({
  settings,
  targets,
  summaries,
}: Pick<ComparisonResults, 'settings' | 'targets' | 'summaries'>): string {
  const { rounds, seconds, connections } = settings;
  const tables = connections.map((connectionCount) => {
    const rows = targets.flatMap(({ name, title, stores }) =>
      summaries
        .filter((summary) => summary.target === name && summary.connections === connectionCount)
        .map((summary) => [
          title,
          summary.requestsPerSecond,
          `${formatCount(summary.slowestRequestsPerSecond)}–${formatCount(summary.fastestRequestsPerSecond)}`,
          formatMs(summary.p50Ms),
          formatMs(summary.p99Ms),
          formatRatio(summary.ratioToPlantStore),
          summary.errors,
          formatMemory(summary.peakMemoryBytes),
          describeStored(stores, summary.valid),
        ]),
    );
    return `${countOf(connectionCount, 'connection')}\n\n${formatTable(head, rows)}`;
  });
  const note = `Requests/s, p50 and p99: the median of ${countOf(rounds, 'round')} of ${seconds} s each.`;
  return `${tables.join('\n\n')}\n\n${note}\n`;
}

function describeStored(stores: boolean, valid: boolean): string {
  if (!stores) return 'no';
  return valid ? 'all' : 'INVALID';
}
