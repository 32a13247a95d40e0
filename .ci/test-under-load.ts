// Runs all tests several times while every core is busy, as on a slow machine: a test that fails only sometimes waits for a
// time instead of for what it expects, or depends on another one. Prints a line for each run, and the output of those that
// fail. Run it after `turbo run build`:
//   node .ci/test-under-load.ts [runs] [processes that keep the cores busy]
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism, constants } from 'node:os';
import { stripVTControlCharacters } from 'node:util';
import { watchLauncher } from '../apps/api/src/runtime/launcher.ts';

/** Keeps a core busy until the process that started it has ended, however that happened. */
const keepBusy = 'const parent = process.ppid; while (process.ppid === parent);';

/** All tests, even if those of one workspace fail; what they need is built before, without the load. */
const tests = 'turbo run test --only --force --continue=always --output-logs=errors-only'.split(' ');

const [runs = 10, busy = availableParallelism(), ...others] = process.argv.slice(2).map(Number);
if (![runs, busy].every((count) => Number.isSafeInteger(count) && count > 0) || others.length > 0) {
  console.error(
    'pnpm test:on load [runs] [busy processes]: whole numbers from 1; by default 10, and one for each core',
  );
  process.exit(2);
}

const running = new Set<ChildProcess>();
let received: NodeJS.Signals | undefined;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop(signal));
// Neither npx nor `test-on.ts` passes a signal on.
void watchLauncher().ended.then(() => stop('SIGTERM'));

try {
  for (let count = 0; count < busy; count++) {
    start(process.execPath, ['--eval', keepBusy], 'ignore');
  }
  const failed = await runAll();
  process.exitCode = failed > 0 ? 1 : 0;
} finally {
  // What ended early has nobody to report to.
  for (const child of running) child.kill('SIGKILL');
}
if (received !== undefined) process.exitCode = 128 + constants.signals[received];

/** Returns how many of the runs have failed. */
async function runAll(): Promise<number> {
  const failures = new Map<string, number>();
  let failed = 0;
  for (let run = 1; run <= runs; run++) {
    const startedAt = performance.now();
    const { status, output } = await runTests();
    if (received !== undefined) return failed;
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    console.log(`${run} of ${runs}: ${status === 0 ? 'passed' : 'failed'}, ${seconds} s`);
    if (status === 0) continue;
    failed++;
    console.log(output);
    for (const test of listFailed(output)) failures.set(test, (failures.get(test) ?? 0) + 1);
  }
  console.log(`${failed} of ${runs} runs failed`);
  for (const [test, times] of failures) console.log(`  ${times} × ${test}`);
  return failed;
}

async function runTests(): Promise<{ readonly status: number | null; readonly output: string }> {
  const [program = '', ...args] = tests;
  const child = start(program, args, 'pipe');
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, output: Buffer.concat(chunks).toString() };
}

/** The tests and files that vitest names as failed, each once. */
function listFailed(output: string): ReadonlySet<string> {
  const found = stripVTControlCharacters(output).matchAll(/^(\S+):test: +FAIL +(.*)$/gm);
  return new Set(Array.from(found, ([, workspace, test]) => `${workspace}: ${test?.replaceAll(/ +/g, ' ')}`));
}

function start(program: string, args: readonly string[], output: 'ignore' | 'pipe'): ChildProcess {
  const child = spawn(program, args, { stdio: ['ignore', output, output] });
  running.add(child);
  child.once('close', () => running.delete(child));
  return child;
}

/** Ends the current run, after which there is no further one. */
function stop(signal: NodeJS.Signals): void {
  received ??= signal;
  // Turborepo ends its tests; what keeps a core busy needs no time to end.
  for (const child of running) child.kill(signal);
}
