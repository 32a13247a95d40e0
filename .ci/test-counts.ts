import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where the number of tests of each workspace is kept; it changes on purpose only. */
export const countsFile = join(import.meta.dirname, 'test-counts.json');

/** The number of tests of each workspace, by its name. */
export function readExpectedCounts(): Readonly<Record<string, number>> {
  return JSON.parse(readFileSync(countsFile, 'utf8'));
}

/** How many tests a run had, and how many of them passed, as vitest's JSON reporter wrote it to a file. */
export function readReport(file: string): { readonly total: number; readonly passed: number } {
  const { numTotalTests, numPassedTests } = JSON.parse(readFileSync(file, 'utf8'));
  return { total: numTotalTests, passed: numPassedTests };
}
