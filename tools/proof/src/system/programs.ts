import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);
const pollMs = 2;
/** Only a hanging program takes this long, even on a busy machine. */
const usualTimeoutMs = 120_000;

/** The environment of system programs: nothing is inherited. */
export const systemEnvironment = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' };

/**
 * Runs a system program and returns its trimmed output.
 *
 * @throws {Error} with its output if it fails
 */
export async function runSystemProgram(program: string, ...args: readonly string[]): Promise<string> {
  return (await run(program, [...args], { env: systemEnvironment })).stdout.trim();
}

/** Finds what is missing to use system programs as root on Linux; `undefined` if nothing is. */
export async function findMissingProgram(...programs: readonly string[]): Promise<string | undefined> {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return 'It needs Linux and the user root.';
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
 * @throws {Error} that names the condition that did not hold in time
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  { describe, timeoutMs = usualTimeoutMs }: { describe?: () => string; timeoutMs?: number | undefined } = {},
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline)
      throw new Error(`It took more than ${timeoutMs / 1000} s until ${what}\n${describe?.() ?? ''}`);
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
  // `hasEnded` and `processEnd` also report a program that did not start.
  child.on('error', () => undefined).once('exit', () => started.delete(child));
  return child;
}

/** Kills a program with its process group at once. */
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
 * The ids of the running child processes of a process, such as the workers of a service; none if it has ended, or if the system does not
 * list them. Only Linux does.
 */
export function readChildren(pid: number): number[] {
  return readProcess(pid, `task/${pid}/children`)?.split(' ').filter(Boolean).map(Number) ?? [];
}

/** Reads the command line of a process; empty once it has ended. PostgreSQL sets it to what the process does. */
export function readCommand(pid: number): string {
  return readProcess(pid, 'cmdline') ?? '';
}

/** Kills processes at once, and resolves once all have ended. */
export async function killProcesses(pids: readonly number[]): Promise<void> {
  for (const pid of pids) kill(pid, 'SIGKILL');
  while (pids.some(isRunning)) await delay(pollMs);
}

/** Stops processes (SIGSTOP), and resolves once none of their main threads runs. */
export async function stopProcesses(pids: readonly number[]): Promise<void> {
  for (const pid of pids) kill(pid, 'SIGSTOP');
  while (pids.some((pid) => !['T', 't', undefined].includes(readState(pid)))) await delay(pollMs);
}

/** Sends a signal to a process, which may have ended. */
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

/** The state of the main thread of a process, as a letter; see proc_pid_stat(5). */
function readState(pid: number): string | undefined {
  // The program name, in parentheses, may contain any character.
  return readProcess(pid, 'stat')?.replace(/^.*\) /s, '')[0];
}

/** Reads a file about a process from `/proc`; `undefined` once the process has ended. */
function readProcess(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return undefined;
  }
}
