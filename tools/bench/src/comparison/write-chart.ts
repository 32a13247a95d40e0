import { readFileSync, writeFileSync } from 'node:fs';
import { ComparisonResultsSchema } from './comparison-results.js';
import { drawChart } from './draw-chart.js';

/** Draws the chart of a comparison from its results file. */
export function writeChart(resultsPath: string, chartPath: string): void {
  const results = ComparisonResultsSchema.parse(JSON.parse(readFileSync(resultsPath, 'utf8')));
  writeFileSync(chartPath, drawChart(results));
}
