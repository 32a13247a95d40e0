import type { ContestResults, ContestSettings } from './contest-results.js';
import { contestTables } from './contest-tables.js';
import type { Contestant } from './contestants/contestant.js';
import { describeMachine, machineLine } from './machine.js';
import { resultFiles } from './paths.js';
import { writeChart, writeResults } from './result-files.js';
import { runContest } from './run-contest.js';
import { summarize } from './summarize.js';
import type { Surroundings } from './surroundings.js';

/**
 * The contest: runs it, prints the tables, and writes the figures and the chart.
 *
 * @returns whether every contestant stored all that it acknowledged
 */
export async function contest(
  contestants: readonly Contestant[],
  settings: ContestSettings,
  surroundings: Surroundings,
): Promise<boolean> {
  const machine = await describeMachine(surroundings.folder);
  const runs = await runContest(contestants, settings, surroundings);
  const results: ContestResults = {
    machine,
    settings,
    contestants: contestants.map(({ name, title, about, stores }) => ({ name, title, about, stores })),
    summaries: summarize(runs),
    runs,
  };
  writeResults(resultFiles.contest, results);
  writeChart(resultFiles.contest, resultFiles.chart);
  surroundings.print(`${contestTables(results)}${machineLine(machine)}\n`);
  return runs.every((run) => run.valid);
}
