import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

const running = new Set<ChildProcess>();

/** How to start a program. */
export interface ProcessSettings {
  /** All of its environment: nothing is inherited, so that every machine runs the same defaults. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Where its standard output goes: a file descriptor, or a pipe. */
  readonly stdout: number | 'pipe';
  /** Where its standard error goes. */
  readonly stderr: number | 'pipe';
}

/** Starts a program in a process of its own; `killProcesses` ends it if nothing else has. */
export function startProcess(
  file: string,
  args: readonly string[],
  { environment = {}, stdout, stderr }: ProcessSettings,
): ChildProcess {
  const child = spawn(file, args, {
    env: { NODE_ENV: 'production', ...environment },
    stdio: ['ignore', stdout, stderr],
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Whether a process has ended, by itself or by a signal. */
export function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

/**
 * Resolves once a process has ended.
 *
 * @throws when it did not end in time and was killed
 */
export async function processEnd(child: ChildProcess, timeoutMs: number): Promise<void> {
  if (hasEnded(child)) return;
  const timeout = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  await once(child, 'exit');
  clearTimeout(timeout);
  if (child.signalCode === 'SIGKILL') throw new Error(`Process ${child.pid} had to be killed`);
}

/** Kills every process that is still running, by its id. */
export function killProcesses(): void {
  for (const child of running) child.kill('SIGKILL');
}
