import type { ContestResults, ContestSettings } from './contest-results.js';
import { contestTables } from './contest-tables.js';
import type { Contestant } from './contestants/contestant.js';
import type { DatabaseEngine } from './databases/database.js';
import { sqlite } from './databases/sqlite.js';
import { startPostgresql } from './databases/start-postgresql.js';
import { describeMachine, machineLine } from './machine.js';
import { resultFiles } from './paths.js';
import { writeChart, writeResults } from './result-files.js';
import { runContest } from './run-contest.js';
import { summarize } from './summarize.js';
import type { Surroundings } from './surroundings.js';

/**
 * The contest over SQLite: runs it, prints the tables, and writes the figures and the chart.
 *
 * @returns whether every contestant stored all that it acknowledged
 */
export async function contest(
  contestants: readonly Contestant[],
  settings: ContestSettings,
  surroundings: Surroundings,
): Promise<boolean> {
  const valid = await holdContest(contestants, sqlite, settings, surroundings, resultFiles.contest);
  writeChart(resultFiles.contest, resultFiles.chart);
  return valid;
}

/** The same over one PostgreSQL server, without a chart. */
export async function postgresqlContest(
  contestants: readonly Contestant[],
  settings: ContestSettings,
  surroundings: Surroundings,
): Promise<boolean> {
  const server = await startPostgresql(surroundings.folder);
  const valid = await holdContest(contestants, server, settings, surroundings, resultFiles.postgresql);
  await server.stop();
  return valid;
}

async function holdContest(
  contestants: readonly Contestant[],
  engine: DatabaseEngine,
  settings: ContestSettings,
  surroundings: Surroundings,
  resultFile: string,
): Promise<boolean> {
  const machine = await describeMachine(surroundings.folder);
  const runs = await runContest(contestants, engine, settings, surroundings);
  const results: ContestResults = {
    machine,
    database: engine.title,
    settings,
    contestants: contestants.map(({ name, title, about, stores }) => ({ name, title, about, stores })),
    summaries: summarize(runs),
    runs,
  };
  writeResults(resultFile, results);
  surroundings.print(`${contestTables(results)}${engine.title}, ${machineLine(machine)}\n`);
  return runs.every((run) => run.valid);
}
