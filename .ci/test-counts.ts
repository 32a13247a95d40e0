import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the number of tests of each workspace is kept; it changes on purpose only. */
export const countsFile = join(import.meta.dirname, 'test-counts.json');

/** The number of tests of each workspace, by its name. */
export function readExpectedCounts(): Readonly<Record<string, number>> {
  return JSON.parse(readFileSync(countsFile, 'utf8'));
}

/** What vitest's JSON reporter writes into the folder of a workspace. */
export const reportFile = 'test-results.json';

/** How many tests the last run in a workspace had, and how many of them passed. */
export function readReport(folder: string): { readonly total: number; readonly passed: number } {
  const { numTotalTests, numPassedTests } = JSON.parse(readFileSync(join(folder, reportFile), 'utf8'));
  return { total: numTotalTests, passed: numPassedTests };
}
