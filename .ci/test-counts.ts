import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Records the number of tests of each workspace, which only changes intentionally. */
export const countsFile = join(import.meta.dirname, 'test-counts.json');

/** The expected number of tests, by the name of the workspace. */
export function readExpectedCounts(): Readonly<Record<string, number>> {
  return JSON.parse(readFileSync(countsFile, 'utf8'));
}

/** The file that vitest's JSON reporter writes into the folder of a workspace. */
export const reportFile = 'test-results.json';

/** The number of tests that such a file reports, and of those that passed. */
export function readReport(file: string): { readonly total: number; readonly passed: number } {
  const { numTotalTests, numPassedTests } = JSON.parse(readFileSync(file, 'utf8'));
  return { total: numTotalTests, passed: numPassedTests };
}
