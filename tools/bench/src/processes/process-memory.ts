import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** The peak memory of a process so far, in bytes; its current memory where the system does not report the peak. */
export function readPeakMemory(pid: number): Promise<number> {
  return readMemory(pid, 'VmHWM');
}

/** The current memory of a process, in bytes. */
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
