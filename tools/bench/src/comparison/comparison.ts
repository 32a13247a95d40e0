import { writeJson } from '@plant-store/report';
import type { DatabaseEngine } from '../databases/database.js';
import { sqlite } from '../databases/sqlite.js';
import { startPostgresql } from '../databases/start-postgresql.js';
import type { Environment } from '../environment/environment.js';
import { describeMachine, machineLine } from '../environment/machine.js';
import { resultFiles } from '../paths.js';
import type { Target } from '../targets/target.js';
import type { ComparisonResults, ComparisonSettings } from './comparison-results.js';
import { comparisonTables } from './comparison-tables.js';
import { runComparison } from './run-comparison.js';
import { selectTargets } from './select-targets.js';
import { summarize } from './summarize.js';
import { writeChart } from './write-chart.js';

/**
 * Compares targets on SQLite: prints the tables, and writes the results and the chart.
 *
 * @returns whether every target stored all that it acknowledged
 */
export async function compareSqlite(
  targets: readonly Target[],
  settings: ComparisonSettings,
  environment: Environment,
): Promise<boolean> {
  const valid = await runAndReport(targets, sqlite, settings, environment, resultFiles.comparison);
  writeChart(resultFiles.comparison, resultFiles.chart);
  return valid;
}

/** The same on one PostgreSQL server, without a chart. */
export async function comparePostgresql(
  targets: readonly Target[],
  settings: ComparisonSettings,
  environment: Environment,
): Promise<boolean> {
  const server = await startPostgresql(environment.folder);
  const valid = await runAndReport(targets, server, settings, environment, resultFiles.postgresql);
  await server.stop();
  return valid;
}

async function runAndReport(
  requested: readonly Target[],
  engine: DatabaseEngine,
  settings: ComparisonSettings,
  environment: Environment,
  resultFile: string,
): Promise<boolean> {
  const machine = await describeMachine(environment.folder);
  const targets = selectTargets(requested, environment.log);
  const runs = await runComparison(targets, engine, settings, environment);
  const results: ComparisonResults = {
    machine,
    database: engine.title,
    settings,
    targets: targets.map(({ name, title, about, stores }) => ({ name, title, about, stores })),
    summaries: summarize(runs),
    runs,
  };
  writeJson(resultFile, results);
  environment.print(`${comparisonTables(results)}${engine.title}, ${machineLine(machine)}\n`);
  return runs.every((run) => run.valid);
}
