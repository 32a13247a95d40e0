// Runs all tests of the service and of the client on the latest Node.js of each supported line except the pinned one,
// and compares their numbers with test-counts.json. Run it after `pnpm build`:
//   pnpm exec node .ci/test-on-other-lines.ts [line…]
import { execFileSync, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { readExpectedCounts, readReport, reportFile } from './test-counts.ts';
import { listWorkspaces } from './workspaces.ts';

const given = process.argv.slice(2);
const lines = given.length > 0 ? given : ['22', '24'];
const tested = ['@plant-store/api', '@plant-store/client'];

const expected = readExpectedCounts();
const workspaces = listWorkspaces(join(import.meta.dirname, '..')).filter(({ name }) =>
  tested.includes(name),
);
for (const line of lines) {
  const node = findNode(line);
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
  if (!version.startsWith(`v${line}.`)) throw new Error(`${version} is not Node.js ${line}`);
  for (const { name, folder } of workspaces) {
    runTests(node, folder);
    const { total, passed } = readReport(folder);
    if (passed !== total || passed !== expected[name]) {
      throw new Error(`${version}, ${name}: ${passed} of ${total} tests passed, expected ${expected[name]}`);
    }
    console.log(`${version}, ${name}: ${passed} tests passed, none skipped`);
  }
}

/** Installs the latest Node.js of a line with npm, and returns its path. */
function findNode(line: string): string {
  const options = ['-y', '-p', `node@${line}`, 'node', '--print', 'process.execPath'];
  return execFileSync('npx', options, { encoding: 'utf8' }).trim();
}

/** @throws {Error} if a test fails */
function runTests(node: string, folder: string): void {
  rmSync(join(folder, reportFile), { force: true });
  const path = [dirname(node), join(folder, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
  const { status } = spawnSync(node, ['node_modules/vitest/vitest.mjs', 'run'], {
    cwd: folder,
    env: { ...process.env, PATH: path },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) throw new Error(`The tests in ${folder} fail on ${node}`);
}
