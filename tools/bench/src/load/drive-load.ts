import { fileURLToPath } from 'node:url';
import { runProgram } from '../processes/run-program.js';
import { type Load, type LoadResult, LoadResultSchema } from './load.js';

const generator = fileURLToPath(new URL('../../dist/load/generate-load.js', import.meta.url));

/** How much longer than its load the generator may take. */
const graceMs = 30_000;

/** Sends load to a target from a new process. */
export async function driveLoad(load: Load): Promise<LoadResult> {
  const timeoutMs = (load.warmupSeconds + load.seconds) * 1000 + graceMs;
  return LoadResultSchema.parse(
    JSON.parse(await runProgram(process.execPath, [generator, JSON.stringify(load)], { timeoutMs })),
  );
}
