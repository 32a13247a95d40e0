import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** The most memory that a process has held so far, in bytes; where the system does not tell, what it holds now. */
export function readPeakMemory(pid: number): Promise<number> {
  return readMemory(pid, 'VmHWM');
}

/** The memory that a process holds now, in bytes. */
export function readResidentMemory(pid: number): Promise<number> {
  return readMemory(pid, 'VmRSS');
}

async function readMemory(pid: number, field: 'VmHWM' | 'VmRSS'): Promise<number> {
  const kilobytes =
    process.platform === 'linux'
      ? new RegExp(`^${field}:\\s*(\\d+) kB$`, 'm').exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1]
      : (await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)])).stdout.trim();
  return Number(kilobytes) * 1024;
}
