import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type ContestResults, ContestResultsSchema } from './contest-results.js';
import { drawChart } from './draw-chart.js';

/** Writes results as JSON. */
export function writeResults(path: string, results: object): void {
  writeText(path, `${JSON.stringify(results, null, 2)}\n`);
}

/** Reads what a contest wrote. */
function readContest(path: string): ContestResults {
  return ContestResultsSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
}

/** Draws the chart of a contest's results. */
export function writeChart(resultsPath: string, chartPath: string): void {
  writeText(chartPath, drawChart(readContest(resultsPath)));
}

function writeText(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
