import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** The ids of the processes that a process has started, on Linux. */
export function childrenOf(pid: number | undefined): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}

/** Whether a process has not ended, on Linux. */
export function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}

/** Lets a process open no more files, on Linux, and returns what undoes that. Open files stay open. */
export function forbidOpening(pid: number | undefined): () => void {
  const setLimit = (limit: string) => execFileSync('prlimit', [`--pid=${pid}`, `--nofile=${limit}:`]);
  const [, limit = ''] = /^Max open files +(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8')) ?? [];
  setLimit('0');
  return () => void setLimit(limit);
}
