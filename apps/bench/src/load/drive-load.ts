import { fileURLToPath } from 'node:url';
import { runProgram } from '../processes/run-program.js';
import { type Load, type LoadResult, LoadResultSchema } from './load.js';

const generator = fileURLToPath(new URL('../../dist/load/generate-load.js', import.meta.url));

/** How long the generator may take beyond its load. */
const graceMs = 30_000;

/** Drives a target from a process of its own, new for each run. */
export async function driveLoad(load: Load): Promise<LoadResult> {
  const timeoutMs = (load.warmupSeconds + load.seconds) * 1000 + graceMs;
  return LoadResultSchema.parse(
    JSON.parse(await runProgram(generator, [JSON.stringify(load)], { timeoutMs })),
  );
}
