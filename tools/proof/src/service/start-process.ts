import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The build of the service, as operators run it. */
const main = fileURLToPath(new URL('../../../../apps/api/dist/main.js', import.meta.url));

const running = new Set<ChildProcess>();

/** How to start the built command. */
export interface ProcessSettings {
  /** All of its environment but `PATH`: nothing else is inherited, so that every machine runs the same defaults. */
  readonly environment: Readonly<Record<string, string>>;
  /** A file descriptor, or a pipe. */
  readonly output: number | 'pipe';
  /** Another build of the service than that of the repository. */
  readonly program?: string;
}

/** Starts `plant-store` in a process of its own; `killProcesses` ends it if nothing else has. */
export function startProcess(
  args: readonly string[],
  { environment, output, program = main }: ProcessSettings,
): ChildProcess {
  const child = spawn(process.execPath, [program, ...args], {
    env: { NODE_ENV: 'production', PATH: '/usr/bin:/bin', ...environment },
    stdio: ['ignore', output, output],
    // A process group of its own, so that it can be killed at once with what it starts.
    detached: true,
  });
  running.add(child);
  child.once('exit', () => running.delete(child));
  return child;
}

/** Kills a process with all those that it has started, such as workers, at once. */
export function killAll(child: ChildProcess): void {
  if (child.pid === undefined || hasEnded(child)) return;
  // The whole process group, which `startProcess` made.
  process.kill(-child.pid, 'SIGKILL');
}

/** Whether a process has ended, by itself or by a signal. */
export function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Resolves once a process has ended, by itself or by a signal, with its exit status. */
export async function processEnd(child: ChildProcess): Promise<number | null> {
  if (!hasEnded(child)) await once(child, 'exit');
  return child.exitCode;
}

/** Kills every process that is still running, by its id, and those that it has started. */
export function killProcesses(): void {
  for (const child of running) killAll(child);
}
