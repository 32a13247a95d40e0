import { fileURLToPath } from 'node:url';
import { type Load, type LoadResult, LoadResultSchema } from './load.js';
import { runProgram } from './run-program.js';

const generator = fileURLToPath(new URL('../dist/generate-load.js', import.meta.url));

/** How long the generator may take beyond its load. */
const graceMs = 30_000;

/** Drives a contestant from a process of its own, new for each run. */
export async function driveLoad(load: Load): Promise<LoadResult> {
  const timeoutMs = (load.warmupSeconds + load.seconds) * 1000 + graceMs;
  return LoadResultSchema.parse(
    JSON.parse(await runProgram(generator, [JSON.stringify(load)], { timeoutMs })),
  );
}
