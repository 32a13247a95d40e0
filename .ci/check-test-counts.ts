// Compares the number of tests that have run with the numbers in test-counts.json, so that a suite that silently does
// not run is noticed. Without an option it reads what `pnpm test` has left in each workspace.
//   node .ci/check-test-counts.ts            compares; ends with status 1 where they differ
//   node .ci/check-test-counts.ts --write    takes over the numbers as they are now, after a change on purpose;
//                                            only if all tests have run and passed
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { countsFile, readExpectedCounts, readReport, reportFile } from './test-counts.ts';
import { listWorkspaces } from './workspaces.ts';

const root = join(import.meta.dirname, '..');
const counts: Record<string, number> = {};
const problems: string[] = [];

for (const { name, folder } of listWorkspaces(root)) {
  if (!existsSync(join(folder, reportFile))) {
    problems.push(`${name}: no test has run`);
    continue;
  }
  const { total, passed } = readReport(folder);
  counts[name] = passed;
  if (passed !== total) {
    problems.push(`${name}: of ${total} tests ${passed} passed; none may fail or be skipped`);
  }
}

if (process.argv.includes('--write')) {
  // Counts of tests that failed or did not run would be what is expected from then on.
  if (problems.length === 0) writeFileSync(countsFile, `${JSON.stringify(counts, undefined, 2)}\n`);
} else {
  const expected = readExpectedCounts();
  for (const name of new Set([...Object.keys(expected), ...Object.keys(counts)])) {
    if (counts[name] === expected[name]) continue;
    problems.push(`${name}: ${counts[name] ?? 'no'} tests ran, ${expected[name] ?? 'none'} in ${countsFile}`);
  }
}
for (const problem of problems) console.error(problem);
if (problems.length > 0) {
  console.error('Where that is meant, run pnpm test and then: node .ci/check-test-counts.ts --write');
  process.exitCode = 1;
} else {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  console.log(`tests: ${total} passed, 0 failed, 0 skipped`);
}
