// Runs all tests of the service and of the client on the latest Node.js of each supported line except the pinned one,
// and compares their numbers with test-counts.json. The lines run side by side, since the tests of the service mostly wait
// for processes and for outages to end. Run it after `pnpm build`:
//   pnpm exec node .ci/test-on-other-lines.ts [line…]
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { readExpectedCounts, readReport } from './test-counts.ts';
import { listWorkspaces, type Workspace } from './workspaces.ts';

/** A Node.js to test on. */
interface Line {
  readonly node: string;
  readonly version: string;
}

const given = process.argv.slice(2);
const tested = ['@plant-store/api', '@plant-store/client'];
/** How much of the output of tests that failed is repeated: lines, and characters of each. */
const endLines = 60;
const endWidth = 240;

const expected = readExpectedCounts();
const workspaces = listWorkspaces(join(import.meta.dirname, '..')).filter(({ name }) =>
  tested.includes(name),
);
const lines = (given.length > 0 ? given : ['22', '24']).map(findNode);
const problems = (await Promise.all(lines.map(testLine))).flat();
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

/** Installs the latest Node.js of a line with npm. */
function findNode(line: string): Line {
  const options = ['-y', '-p', `node@${line}`, 'node', '--print', 'process.execPath'];
  const node = execFileSync('npx', options, { encoding: 'utf8' }).trim();
  const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).trim();
  if (!version.startsWith(`v${line}.`)) throw new Error(`${version} is not Node.js ${line}`);
  return { node, version };
}

/** Runs the tests of one workspace after the other; returns what is wrong with them. */
async function testLine(line: Line): Promise<string[]> {
  const found: string[] = [];
  for (const workspace of workspaces) found.push(...(await testWorkspace(line, workspace)));
  return found;
}

async function testWorkspace({ node, version }: Line, { name, folder }: Workspace): Promise<string[]> {
  const results = mkdtempSync(join(tmpdir(), 'plant-store-line-'));
  const report = join(results, 'test-results.json');
  try {
    const { status, output } = await runTests(node, folder, report, `${version} ${basename(folder)}: `);
    if (status !== 0) {
      // Repeated at the end, where the output of the other line does not hide it.
      return [...listFailures(output), `${version}, ${name}: the tests ended with status ${status}`];
    }
    const { total, passed } = readReport(report);
    if (passed !== total || passed !== expected[name]) {
      return [`${version}, ${name}: ${passed} of ${total} tests passed, expected ${expected[name]}`];
    }
    console.log(`${version}, ${name}: ${passed} tests passed, none skipped`);
    return [];
  } finally {
    rmSync(results, { recursive: true });
  }
}

/**
 * The end of the output of tests that failed: from the list of failures on, where there is one. Their names and places come
 * last, since a comparison of long texts hides them.
 */
function listFailures(output: readonly string[]): readonly string[] {
  const start = output.findIndex((line) => /Failed (Tests|Suites)|Unhandled Errors/.test(line));
  const end = start < 0 ? output.slice(-endLines) : output.slice(start, start + endLines);
  const places = start < 0 ? [] : output.slice(start).filter((line) => /FAIL|Error\b|❯/.test(line));
  return [...end, ...places].map((line) => line.slice(0, endWidth));
}

/** Runs the tests in a folder, and prints their output behind a prefix. */
async function runTests(
  node: string,
  folder: string,
  report: string,
  prefix: string,
): Promise<{ readonly status: number | null; readonly output: readonly string[] }> {
  const path = [dirname(node), join(folder, 'node_modules/.bin'), process.env['PATH']].join(delimiter);
  const child = spawn(node, ['node_modules/vitest/vitest.mjs', 'run'], {
    cwd: folder,
    env: { ...process.env, PATH: path, TEST_RESULTS: report },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close');
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface(stream).on('line', (text) => {
      output.push(`${prefix}${text}`);
      console.log(`${prefix}${text}`);
    });
  }
  const [status] = await closed;
  return { status, output };
}
