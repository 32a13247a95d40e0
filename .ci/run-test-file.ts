// Runs a test file in its workspace, without time limits, so that a debugger can stop in it:
//   node --inspect .ci/run-test-file.ts <file>
import { existsSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const file = resolve(process.argv[2] ?? '');
let folder = dirname(file);
while (!existsSync(join(folder, 'vitest.config.ts'))) {
  if (folder === dirname(folder)) throw new Error(`${file} is in no folder with a vitest.config.ts`);
  folder = dirname(folder);
}
process.chdir(folder);
process.argv.splice(2, 1, 'run', '--no-file-parallelism', '--test-timeout=0', '--hook-timeout=0', file);
await import(join(folder, 'node_modules/vitest/vitest.mjs'));
