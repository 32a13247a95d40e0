import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import type { Resource } from '@plant-store/contract/resource';
import type { Compared } from './compare.js';
import { describeMachine, machineLine } from './machine.js';
import { log } from './measure-targets.js';
import { formatCount, formatFigure, formatTable, medians, writeJson } from './report.js';
import { defaultResource } from './resource.js';
import { resultPath } from './results.js';
import { type LoadResult, sendLoad, storeRecords } from './send-load.js';
import { startTarget } from './start-target.js';
import { plantStore } from './targets.js';

/** How many records a store has, from small to large. */
const sizes = [10_000, 1_000_000, 10_000_000];

/** The loads for each size. Creates come last, because they add records. */
const loads = [
  { operation: 'get', connections: 64 },
  { operation: 'page', connections: 16 },
  { operation: 'search', connections: 1 },
  { operation: 'create', connections: 64 },
] as const;

/** One load on a store of a size: medians of the rounds. */
export interface Growth {
  readonly records: number;
  readonly operation: string;
  readonly connections: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
}

/** Measures the service on stores of several sizes, prints a table and writes the results. */
export async function measureGrowth({
  engine,
  folder,
  settings,
  results,
  resource = defaultResource,
}: Omit<Compared, 'loads'>): Promise<boolean> {
  const machine = describeMachine(folder);
  const summaries: Growth[] = [];
  let errors = 0;
  for (const records of sizes) {
    const own = join(folder, String(records));
    mkdirSync(own);
    const database = await engine.createDatabase(own);
    const service = await startTarget(plantStore(), database.url, own, resource);
    await storeRecords(service, records, resource);
    for (const load of loads) {
      await sendLoad(service, { ...load, records, resource, seconds: settings.warmupSeconds });
      const results: LoadResult[] = [];
      for (let round = 1; round <= settings.rounds; round++) {
        results.push(await sendLoad(service, { ...load, records, resource, seconds: settings.seconds }));
      }
      errors += results.reduce((sum, result) => sum + result.errors, 0);
      const summary = {
        records,
        ...load,
        ...medians(results, 'requestsPerSecond', 'p50Ms', 'p99Ms', 'p999Ms'),
      };
      log(
        `${formatCount(records)} ${resource.plural}, ${load.operation}: ${formatFigure(summary.requestsPerSecond)} requests/s`,
      );
      summaries.push(summary);
    }
    await service.stop();
    rmSync(own, { recursive: true });
  }
  if (results !== undefined)
    writeJson(resultPath(results), { machine, database: engine.title, settings, summaries });
  process.stdout.write(`${growthTable(resource, summaries)}\n${engine.title}, ${machineLine(machine)}\n`);
  return errors === 0;
}

/** The rows of the table: one for each size, with requests per second and the p99 of each operation. */
export function growthRows(summaries: readonly Growth[]): string[][] {
  return [...Map.groupBy(summaries, ({ records }) => records)].map(([records, own]) => [
    formatCount(records),
    ...own.map(
      ({ requestsPerSecond, p99Ms }) => `${formatFigure(requestsPerSecond)} (${formatFigure(p99Ms)})`,
    ),
  ]);
}

function growthTable({ plural }: Resource, summaries: readonly Growth[]): string {
  return formatTable([plural, ...loads.map(({ operation }) => operation)], growthRows(summaries));
}
