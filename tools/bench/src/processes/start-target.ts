import type { ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../databases/database.js';
import type { Target } from '../targets/target.js';
import { readChildren } from './child-processes.js';
import { readPeakMemory } from './process-memory.js';
import { readProcessorTime } from './processor-time.js';
import { hasEnded, processEnd, startProcess } from './start-process.js';

const startTimeoutMs = 30_000;
const stopTimeoutMs = 30_000;
const pollMs = 10;

/** A target that is listening. */
export interface RunningTarget {
  readonly baseUrl: string;
  /** The URL of its admin port, if it prints one. */
  readonly adminUrl: string | undefined;
  /** The access token that it accepts. */
  readonly token: string;
  /** Its process, and the processes that it has started, such as workers. */
  readPids(): Promise<readonly [main: number, ...children: number[]]>;
  /** Its peak memory so far, in bytes, as the sum of its processes. */
  readPeakMemory(): Promise<number>;
  /** The processor time that its main process has taken so far, in microseconds; only on Linux. */
  readProcessorTime(): Promise<number>;
  /** Whether its main process has ended. */
  hasEnded(): boolean;
  /** Stops it, and resolves once it has ended. */
  stop(): Promise<void>;
}

/**
 * Starts a target on a database. Its output goes to a file in a folder, so that logging costs the target as much as in
 * production, and this process nothing.
 */
export async function startTarget(
  target: Target,
  database: Pick<Database, 'url'>,
  folder: string,
): Promise<RunningTarget> {
  const { file, args, environment, token } = await target.prepare(database.url);
  const logPath = join(folder, `${target.name}.log`);
  const log = openSync(logPath, 'w');
  const child = startProcess(file, args, { environment, stdout: log, stderr: log });
  closeSync(log);
  const pid = child.pid ?? 0;
  const urls = await readUrls(child, logPath);
  const readPids = async () => [pid, ...(await readChildren(pid))] as const;
  return {
    ...urls,
    token,
    readPids,
    async readPeakMemory() {
      const peaks = await Promise.all((await readPids()).map(readPeakMemory));
      return peaks.reduce((sum, peak) => sum + peak, 0);
    },
    readProcessorTime: () => readProcessorTime(pid),
    hasEnded: () => hasEnded(child),
    async stop() {
      child.kill('SIGTERM');
      await processEnd(child, stopTimeoutMs);
    },
  };
}

/** Waits for the line in which a target prints its URL, and that of its admin port if it has one. */
async function readUrls(
  child: ChildProcess,
  logPath: string,
): Promise<Pick<RunningTarget, 'baseUrl' | 'adminUrl'>> {
  const deadline = performance.now() + startTimeoutMs;
  while (performance.now() < deadline) {
    const ended = hasEnded(child);
    const text = readFileSync(logPath, 'utf8');
    const baseUrl = /"baseUrl":"([^"]+)"/.exec(text)?.[1];
    if (baseUrl !== undefined) return { baseUrl, adminUrl: /"adminUrl":"([^"]+)"/.exec(text)?.[1] };
    if (ended) throw new Error(`The target exited before it listened:\n${text}`);
    await delay(pollMs);
  }
  child.kill('SIGKILL');
  throw new Error(`The target did not listen within ${startTimeoutMs / 1000} seconds`);
}
