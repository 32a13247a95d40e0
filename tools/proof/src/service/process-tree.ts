import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

const pollMs = 2;

/**
 * The ids of the processes that a process has started and that have not ended, such as the workers of a service; none if it
 * has ended itself, or where the system does not list them. Only Linux does.
 */
export function readChildren(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/** Kills processes at once, and resolves once all have ended. */
export async function killProcesses(pids: readonly number[]): Promise<void> {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended meanwhile.
    }
  }
  while (pids.some((pid) => isRunning(pid))) await delay(pollMs);
}

/** Stops processes (SIGSTOP), and resolves once none of their main threads executes anything any more. */
export async function stopProcesses(pids: readonly number[]): Promise<void> {
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  while (pids.some((pid) => !['T', 't', undefined].includes(readState(pid)))) await delay(pollMs);
}

/** Lets stopped processes go on. */
export function continueProcesses(pids: readonly number[]): void {
  for (const pid of pids) process.kill(pid, 'SIGCONT');
}

/** Whether a process runs; one that has ended, and whose parent has not noticed yet, does not. */
export function isRunning(pid: number): boolean {
  const state = readState(pid);
  return state !== undefined && state !== 'Z' && state !== 'X';
}

/** The state of the main thread of a process, a letter; see proc_pid_stat(5). */
function readState(pid: number): string | undefined {
  try {
    // The name of the program, in parentheses, may contain any character.
    return readFileSync(`/proc/${pid}/stat`, 'utf8').replace(/^.*\) /s, '')[0];
  } catch {
    return undefined;
  }
}
