import { writeFileSync } from 'node:fs';
import process from 'node:process';
import type { Resource } from '@plant-store/contract/resource';
import type { Engine } from './databases.js';
import { drawChart } from './draw-chart.js';
import { describeMachine, machineLine } from './machine.js';
import { log, measureTargets, type Run, type Settings } from './measure-targets.js';
import { countOf, formatFigure, formatMemory, formatTable, medians, writeJson } from './report.js';
import { type ComparedTarget, type Comparison, chartPath, resultPath, type Summary } from './results.js';
import type { Load } from './send-load.js';
import type { RunningTarget } from './start-target.js';
import type { Target } from './targets.js';

/** What to compare: targets on an engine, under several loads. */
export interface ComparisonOptions {
  readonly targets: readonly Target[];
  readonly engine: Engine;
  readonly folder: string;
  readonly loads: readonly Omit<Load, 'seconds'>[];
  /** The resource that is created and read. Default: the one that all targets have. */
  readonly resource?: Resource | undefined;
  readonly settings: Settings;
  /** The name of the committed results to replace. Default: none. */
  readonly results?: string | undefined;
  /** Called for each target after its warm-up. */
  readonly onWarm?: (target: RunningTarget) => void;
}

/**
 * Restarts the targets for each load, sends them the load, and prints a table for each load.
 *
 * @returns whether every target stored everything that it acknowledged
 */
export async function compare({
  targets,
  engine,
  folder,
  loads,
  resource,
  settings,
  results,
  onWarm,
}: ComparisonOptions) {
  const machine = describeMachine(folder);
  const runnable = targets.filter(canRun);
  const runs: Run[] = [];
  for (const load of loads) {
    runs.push(...(await measureTargets(runnable, engine, folder, { ...load, resource }, settings, onWarm)));
  }
  const comparison: Comparison = {
    machine,
    database: engine.title,
    settings,
    targets: runnable.map(({ name, title, has, versions, leavesOut, cores }) => ({
      name,
      title,
      leavesOut,
      cores,
      versions: versions(engine.driver),
      stores: has.includes('storage'),
    })),
    summaries: summarize(runs),
  };
  if (results !== undefined) writeJson(resultPath(results), { ...comparison, runs });
  if (results === 'latest') writeFileSync(chartPath, drawChart(comparison));
  process.stdout.write(`${comparisonTables(comparison)}\n${engine.title}, ${machineLine(machine)}\n`);
  return runs.every(({ valid }) => valid);
}

/** Whether a target can run on this machine. If not, logs what is missing. */
function canRun({ title, missing }: Target): boolean {
  const toInstall = missing?.();
  if (toInstall !== undefined) log(`skipped: ${title}, which needs: ${toInstall}`);
  return toInstall === undefined;
}

/** Summarizes the rounds of each target under each load, in the order of the runs. */
function summarize(runs: readonly Run[]): Summary[] {
  const groups = Map.groupBy(
    runs,
    ({ target, operation, connections }) => `${target} ${operation} ${connections}`,
  );
  return [...groups.values()].flatMap((rounds) => {
    const speeds = rounds.map(({ requestsPerSecond }) => requestsPerSecond);
    return rounds.slice(0, 1).map(({ target, operation, connections, peakMemoryBytes }) => ({
      target,
      operation,
      connections,
      peakMemoryBytes,
      ...medians(rounds, 'requestsPerSecond', 'p50Ms', 'p99Ms', 'p999Ms'),
      ...medians(rounds, 'processorUs', 'serverCores', 'generatorCores'),
      slowestRequestsPerSecond: Math.min(...speeds),
      fastestRequestsPerSecond: Math.max(...speeds),
      errors: rounds.reduce((sum, { errors }) => sum + errors, 0),
      valid: rounds.every(({ valid }) => valid),
    }));
  });
}

/** Returns what limits a figure. A single connection sends its next request only after the reply. */
export function limitOf(
  { serverCores, generatorCores, connections }: Pick<Run, 'serverCores' | 'generatorCores' | 'connections'>,
  { cores = 1, stores }: Pick<ComparedTarget, 'cores' | 'stores'>,
): string {
  if (serverCores >= 0.9 * cores) return 'processor';
  if (generatorCores >= 0.9) return 'generator';
  if (connections === 1) return 'one connection';
  return stores && !Number.isNaN(serverCores) ? 'disk or database' : '–';
}

/** Describes each target, and what it lacks compared with the service. Empty if the service is compared with itself. */
export function describeTargets(targets: readonly ComparedTarget[]): string {
  if (targets.every(({ leavesOut }) => leavesOut === undefined)) return '';
  const lines = targets.map(
    ({ title, versions, leavesOut = 'nothing' }) => `- ${title} (${versions}): ${leavesOut}`,
  );
  return `${onlyInPlantStore} They also leave out:\n\n${lines.join('\n')}\n\n`;
}

const onlyInPlantStore =
  'None of the others has limits per caller, a changes feed, history, or overload protection.';

/** Returns a table for each load, and descriptions of the targets. */
function comparisonTables({
  settings,
  targets,
  summaries,
}: Pick<Comparison, 'settings' | 'targets' | 'summaries'>): string {
  const [first] = targets;
  const head = [
    '',
    'requests/s',
    'slowest–fastest',
    'p50 ms',
    'p99 ms',
    'p99.9 ms',
    `vs ${first?.title}`,
    'errors',
    'peak memory',
    'processor µs',
    'limited by',
  ];
  const groups = Map.groupBy(
    summaries,
    ({ operation, connections }) => `${operation}, ${countOf(connections, 'connection')}`,
  );
  const tables = [...groups].map(([load, shown]) => {
    const base = shown[0]?.requestsPerSecond ?? Number.NaN;
    const rows = shown.flatMap((summary) =>
      targets
        .filter(({ name }) => name === summary.target)
        .map((target) => [
          `${target.title}${summary.valid ? '' : ', INVALID'}`,
          formatFigure(summary.requestsPerSecond),
          `${formatFigure(summary.slowestRequestsPerSecond)}–${formatFigure(summary.fastestRequestsPerSecond)}`,
          formatFigure(summary.p50Ms),
          formatFigure(summary.p99Ms),
          formatFigure(summary.p999Ms),
          `${(summary.requestsPerSecond / base).toFixed(2)} x`,
          String(summary.errors),
          formatMemory(summary.peakMemoryBytes),
          formatFigure(summary.processorUs),
          limitOf(summary, target),
        ]),
    );
    return `${load}\n\n${formatTable(head, rows)}\n`;
  });
  const rounds = `the median of ${countOf(settings.rounds, 'round')} of ${settings.seconds} s each`;
  return (
    `${tables.join('\n')}\n${describeTargets(targets)}Requests/s and percentiles: ${rounds}. ` +
    `Processor µs: of the processes of the server, for each request, without those of PostgreSQL.`
  );
}
