import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { type ComparisonResults, ComparisonResultsSchema } from '../comparison/comparison-results.js';
import { drawChart } from '../comparison/draw-chart.js';

/** Writes results as JSON. */
export function writeResults(path: string, results: object): void {
  writeText(path, `${JSON.stringify(results, null, 2)}\n`);
}

/** Reads what a comparison wrote. */
function readComparison(path: string): ComparisonResults {
  return ComparisonResultsSchema.parse(JSON.parse(readFileSync(path, 'utf8')));
}

/** Draws the chart of a comparison's results. */
export function writeChart(resultsPath: string, chartPath: string): void {
  writeText(chartPath, drawChart(readComparison(resultsPath)));
}

function writeText(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
