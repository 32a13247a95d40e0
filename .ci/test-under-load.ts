// Runs all tests several times while every core is busy, as on a slow machine. A test that fails only sometimes waits for a fixed time
// instead of for what it expects, or depends on another test. Prints a line for each run, and the output of each failed run. Run it after
// `turbo run build`:
//   node .ci/test-under-load.ts [runs] [processes that keep the cores busy]
import { spawn, spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';

/** A program that keeps a core busy until this process has ended, for whatever reason. */
const keepBusy = `while (process.ppid === ${process.pid});`;

/** The arguments that run all tests, even if those of one workspace fail, and that build nothing under the load. */
const testArguments = 'run test --only --force --continue=always --output-logs=errors-only'.split(' ');

const [runs = 10, busy = availableParallelism(), ...others] = process.argv.slice(2).map(Number);
if (![runs, busy].every((count) => Number.isSafeInteger(count) && count > 0) || others.length > 0) {
  console.error(
    'pnpm test:on load [runs] [busy processes]: whole numbers from 1; by default 10, and one for each core',
  );
  process.exit(2);
}
for (let count = 0; count < busy; count++) spawn(process.execPath, ['--eval', keepBusy], { stdio: 'ignore' });
let failed = 0;
for (let run = 1; run <= runs; run++) {
  const startedAt = performance.now();
  const { status, stdout, stderr } = spawnSync('turbo', testArguments, {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  });
  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  console.log(`${run} of ${runs}: ${status === 0 ? 'passed' : 'failed'}, ${seconds} s`);
  if (status === 0) continue;
  failed++;
  console.log(stdout + stderr);
}
console.log(`${failed} of ${runs} runs failed`);
process.exit(failed > 0 ? 1 : 0);
