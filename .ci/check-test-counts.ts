// Compares the number of tests that ran with the numbers in test-counts.json, to notice a suite that silently does not
// run. It reads the results that `pnpm test` leaves in each workspace.
//   pnpm exec node .ci/check-test-counts.ts            exits with status 1 if the numbers differ
//   pnpm exec node .ci/check-test-counts.ts --write    records the current numbers, after an intended change; only if
//                                                      all tests ran and passed
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { countsFile, readExpectedCounts, readReport, reportFile } from './test-counts.ts';
import { listWorkspaces } from './workspaces.ts';

const root = join(import.meta.dirname, '..');
const counts: Record<string, number> = {};
const problems: string[] = [];

for (const { name, folder } of listWorkspaces(root)) {
  const report = join(folder, reportFile);
  if (!existsSync(report)) {
    problems.push(`${name}: no tests ran`);
    continue;
  }
  const { total, passed } = readReport(report);
  counts[name] = passed;
  if (passed !== total) {
    problems.push(`${name}: only ${passed} of ${total} tests passed; none may fail or be skipped`);
  }
}

if (process.argv.includes('--write')) {
  // Otherwise failed or missing tests would lower the expected numbers.
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
  console.error(
    'If this is intended, run pnpm test and then: pnpm exec node .ci/check-test-counts.ts --write',
  );
  process.exitCode = 1;
} else {
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  console.log(`tests: ${total} passed, 0 failed, 0 skipped`);
}
