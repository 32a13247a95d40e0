import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { onTestFinished } from 'vitest';

/** @throws {Error} with instructions for installing it if a program is missing */
export function requireProgram(path: string, packages: string): void {
  if (existsSync(path)) return;
  throw new Error(`There is no ${path}. Install it with "apt-get update && apt-get install -y ${packages}".`);
}

/** Starts a program, which a signal ends at the end of the test. */
export function startProgram(
  file: string,
  args: readonly string[],
  options: SpawnOptions,
  signal: NodeJS.Signals = 'SIGTERM',
): ChildProcess {
  const child = spawn(file, args, options);
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill(signal);
    await exited;
  });
  return child;
}
