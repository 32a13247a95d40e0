import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import type { Resource } from '@plant-store/contract/resource';
import type { ComparisonOptions } from './compare.js';
import { describeMachine, machineLine } from './machine.js';
import { log } from './measure-targets.js';
import { formatCount, formatFigure, formatTable, medians, writeJson } from './report.js';
import { defaultResource } from './resource.js';
import { resultPath } from './results.js';
import { type LoadResult, sendLoad, storeRecords } from './send-load.js';
import { startTarget } from './start-target.js';
import { plantStore } from './targets.js';

/** The numbers of records in the measured stores. */
const sizes = [10_000, 1_000_000, 10_000_000];

/** The loads for each size. Creates come last, because they add records. */
const loads = [
  { operation: 'get', connections: 64 },
  { operation: 'page', connections: 16 },
  { operation: 'search', connections: 1 },
  { operation: 'create', connections: 64 },
] as const;

/** The medians of one load's rounds on a store of one size. */
export interface Growth {
  readonly records: number;
  readonly operation: string;
  readonly connections: number;
  readonly requestsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
}

/** Measures the service on stores of several sizes, prints a table, and writes the results. Returns whether every request succeeded. */
export async function measureGrowth({
  engine,
  folder,
  settings,
  results,
  resource = defaultResource,
}: Omit<ComparisonOptions, 'loads'>): Promise<boolean> {
  const machine = describeMachine(folder);
  const summaries: Growth[] = [];
  let errors = 0;
  for (const records of sizes) {
    const storeFolder = join(folder, String(records));
    mkdirSync(storeFolder);
    const database = await engine.createDatabase(storeFolder);
    const service = await startTarget(plantStore(), database.url, storeFolder, resource);
    await storeRecords(service, records, resource);
    for (const load of loads) {
      await sendLoad(service, { ...load, records, resource, seconds: settings.warmupSeconds });
      const rounds: LoadResult[] = [];
      for (let round = 1; round <= settings.rounds; round++) {
        rounds.push(await sendLoad(service, { ...load, records, resource, seconds: settings.seconds }));
      }
      errors += rounds.reduce((sum, round) => sum + round.errors, 0);
      const summary = {
        records,
        ...load,
        ...medians(rounds, 'requestsPerSecond', 'p50Ms', 'p99Ms', 'p999Ms'),
      };
      log(
        `${formatCount(records)} ${resource.plural}, ${load.operation}: ${formatFigure(summary.requestsPerSecond)} requests/s`,
      );
      summaries.push(summary);
    }
    await service.stop();
    rmSync(storeFolder, { recursive: true });
  }
  if (results !== undefined)
    writeJson(resultPath(results), { machine, database: engine.title, settings, summaries });
  process.stdout.write(`${growthTable(resource, summaries)}\n${engine.title}, ${machineLine(machine)}\n`);
  return errors === 0;
}

/** Returns the rows of the table: one for each size, with requests per second and the p99 of each operation. */
export function growthRows(summaries: readonly Growth[]): string[][] {
  return [...Map.groupBy(summaries, ({ records }) => records)].map(([records, ofSize]) => [
    formatCount(records),
    ...ofSize.map(
      ({ requestsPerSecond, p99Ms }) => `${formatFigure(requestsPerSecond)} (${formatFigure(p99Ms)})`,
    ),
  ]);
}

function growthTable({ plural }: Resource, summaries: readonly Growth[]): string {
  return formatTable([plural, ...loads.map(({ operation }) => operation)], growthRows(summaries));
}
