// Runs the tests that depend most on Node.js, and those of the client, on the latest Node.js of the oldest supported line. With --all,
// runs every test of the service and of the client on each line except the pinned one. Also tests that several workers start on the oldest
// supported version. Run it after `pnpm build`:
//   pnpm exec node .ci/test-on-other-lines.ts [--all]
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

const root = join(import.meta.dirname, '..');
const isAll = process.argv.includes('--all');
const lines = isAll ? ['22', '24'] : ['22'];
/** The tests of what Node.js parses, streams, and closes, and of one request of each kind. */
const nodeTests =
  'fast-path malformed-http operation-cases raw-requests request-cases served-files http/shutdown --project sqlite';
const api = join(root, 'apps/api');
const suites = [
  { folder: api, args: isAll ? [] : nodeTests.split(' ') },
  { folder: join(root, 'packages/client'), args: [] },
];
const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const workers = ['--mode', 'process', 'test/process/workers.test.ts', '-t', 'leaves signals'];

for (const { line, run } of [
  ...lines.map((line) => ({ line, run: suites })),
  { line: engines.node.replace('>=', ''), run: [{ folder: api, args: workers }] },
]) {
  const node = findNode(line);
  for (const { folder, args } of run) {
    const path = [dirname(node), join(folder, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
    const { status } = spawnSync(node, ['node_modules/vitest/vitest.mjs', 'run', ...args], {
      cwd: folder,
      env: { ...process.env, PATH: path },
      stdio: 'inherit',
    });
    if (status !== 0) {
      console.error(`${node}: the tests of ${folder} ended with status ${status}`);
      process.exitCode = 1;
    }
  }
}

/** Installs the latest Node.js of a line with npm, and returns its path. */
function findNode(line: string): string {
  const options = ['-y', '-p', `node@${line}`, 'node', '--print', 'process.execPath'];
  const node = execFileSync('npx', options, { encoding: 'utf8' }).trim();
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
  if (!version.startsWith(`v${line}.`)) throw new Error(`${version} is not Node.js ${line}`);
  return node;
}
