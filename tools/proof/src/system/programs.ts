import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const pollMs = 2;

/** How long to wait by default. Only a program that hangs takes this long, even on a busy machine. */
const defaultTimeoutMs = 120_000;

/** The environment of system programs. They inherit nothing else. */
export const systemEnvironment = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };

/**
 * Runs a system program and returns its trimmed output.
 *
 * @throws {Error} with the output if the program fails
 */
export async function runSystemProgram(program: string, ...args: readonly string[]): Promise<string> {
  return (await run(program, [...args], { env: systemEnvironment })).stdout.trim();
}

/** Returns why these programs cannot run (not Linux, not root, or not installed), or `undefined` if they can. */
export async function findMissingProgram(...programs: readonly string[]): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'It needs Linux and root.';
  for (const program of programs)
    if (!(await succeeds(runSystemProgram('sh', '-c', `command -v ${program}`))))
      return `It needs ${program}.`;
  return undefined;
}

/** Whether a promise is fulfilled. */
export function succeeds(promise: Promise<unknown>): Promise<boolean> {
  return promise.then(
    () => true,
    () => false,
  );
}

/**
 * Polls until a condition holds.
 *
 * @param describe returns details for the error
 * @throws {Error} with the description if the condition does not hold in time
 */
export async function waitUntil(
  condition: () => boolean | Promise<boolean>,
  description: string,
  {
    describe,
    timeoutMs = defaultTimeoutMs,
  }: { describe?: () => string; timeoutMs?: number | undefined } = {},
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline)
      throw new Error(
        `Timed out after ${timeoutMs / 1000} s waiting until ${description}\n${describe?.() ?? ''}`,
      );
    await delay(pollMs);
  }
}

const started = new Set<ChildProcess>();

/** Starts a program in a new process group, so that it can be killed together with its child processes. */
export function startProgram(
  program: string,
  args: readonly string[],
  options: SpawnOptions & { readonly env: NodeJS.ProcessEnv },
): ChildProcess {
  const child = spawn(program, args, { ...options, detached: true });
  started.add(child);
  // Ignored, because `hasEnded` and `processEnd` also report a program that did not start.
  child.on('error', () => undefined).once('exit', () => started.delete(child));
  return child;
}

/** Kills a program with its process group. */
export function killGroup(child: ChildProcess): void {
  if (child.pid !== undefined && !hasEnded(child)) kill(-child.pid, 'SIGKILL');
}

/** Kills every program that is still running, with its process group. */
export function killStarted(): void {
  for (const child of started) killGroup(child);
}

/** Whether a program has exited, was killed by a signal, or did not start. */
export function hasEnded({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid === undefined || exitCode !== null || signalCode !== null;
}

/** Resolves with the exit status once a program has exited or was killed by a signal. */
export async function processEnd(child: ChildProcess): Promise<number | null> {
  if (!hasEnded(child)) await once(child, 'exit');
  return child.exitCode;
}

/**
 * Returns the IDs of the child processes of a process, such as the workers of a service. Empty if the process has ended, and on systems
 * other than Linux.
 */
export function readChildren(pid: number): number[] {
  return readProcess(pid, `task/${pid}/children`)?.split(' ').filter(Boolean).map(Number) ?? [];
}

/** Returns the command line of a process, or an empty string if it has ended. PostgreSQL shows there what the process does. */
export function readCommand(pid: number): string {
  return readProcess(pid, 'cmdline') ?? '';
}

/** Kills processes, and resolves once all have ended. */
export async function killProcesses(pids: readonly number[]): Promise<void> {
  for (const pid of pids) kill(pid, 'SIGKILL');
  while (pids.some(isRunning)) await delay(pollMs);
}

/** Stops processes with SIGSTOP, and resolves once all their main threads have stopped. */
export async function stopProcesses(pids: readonly number[]): Promise<void> {
  for (const pid of pids) kill(pid, 'SIGSTOP');
  while (pids.some((pid) => !['T', 't', undefined].includes(readState(pid)))) await delay(pollMs);
}

/** Sends a signal to a process, unless it has ended. */
export function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

/** Whether a process runs. A zombie does not. */
export function isRunning(pid: number): boolean {
  return ![undefined, 'Z', 'X'].includes(readState(pid));
}

/** Returns the state of the main thread of a process, as a letter; see proc_pid_stat(5). */
function readState(pid: number): string | undefined {
  // The program name, in parentheses, can contain any character.
  return readProcess(pid, 'stat')?.replace(/^.*\) /s, '')[0];
}

/** Reads a file about a process from `/proc`. Returns `undefined` if the process has ended. */
function readProcess(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}
