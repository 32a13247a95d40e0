import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { findFreePort } from '@plant-store/postgresql-server';
import { defaultResource, exampleOf } from './resource.js';
import type { Target } from './targets.js';

const timeoutMs = 30_000;
const pollMs = 2;

/** A target that has replied to its first create. */
export type RunningTarget = Awaited<ReturnType<typeof startTarget>>;

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

let lastId = 0;

/**
 * Starts a target on a database, and sends it creates until it replies with 200. Its output goes to a file in a folder, so that logging
 * costs the target as much as in production, and costs this process nothing.
 */
export async function startTarget(
  target: Target,
  databaseUrl: string,
  folder: string,
  resource = defaultResource,
) {
  const port = await findFreePort();
  const { command, environment, token } = target.prepare(databaseUrl, port);
  const [program, ...options] = command;
  const logPath = join(folder, `${target.name}.log`);
  const log = openSync(logPath, 'w');
  const startedAtMs = performance.now();
  // Inherits no environment variables, so that the defaults are the same on every machine.
  const env = { NODE_ENV: 'production', ...environment };
  const child = spawn(program, options, { env, stdio: ['ignore', log, log] });
  closeSync(log);
  running.add(child);
  child.once('exit', () => running.delete(child));

  const baseUrl = `http://127.0.0.1:${port}`;
  const request = {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(exampleOf(resource, ++lastId)),
  };
  // `fetch` throws until the target listens.
  while ((await fetch(`${baseUrl}/${resource.plural}`, request).catch(() => undefined))?.status !== 200) {
    if (!running.has(child) || performance.now() - startedAtMs > timeoutMs) {
      throw new Error(`${target.title} does not reply:\n${readFileSync(logPath, 'utf8')}`);
    }
    await delay(pollMs);
  }
  /** The time from the start of the process to its first 200 reply. */
  const firstReplyMs = performance.now() - startedAtMs;
  const pid = child.pid ?? 0;
  /** Returns the IDs of the target's process and, on Linux, of its child processes, such as workers. */
  const readPids = () => [pid, ...readChildren(pid)] as const;
  return {
    baseUrl,
    token,
    firstReplyMs,
    readPids,
    /**
     * Returns the target's current resident memory, in bytes. On Linux, the files that its processes map, such as Node.js, count once,
     * because the processes share them.
     */
    readMemory(): number {
      if (process.platform !== 'linux') return readPids().reduce((sum, each) => sum + readResident(each), 0);
      const files = readPids().map((each) => readStatus(each, 'RssFile'));
      const total = readPids().reduce((sum, each) => sum + readStatus(each, 'VmRSS'), 0);
      return total - files.reduce((sum, each) => sum + each, 0) + Math.max(...files);
    },
    /** Returns the sum of the processes' peak memory so far, in bytes. Except on Linux, returns their current memory. */
    readPeakMemory: () =>
      readPids().reduce(
        (sum, each) => sum + (process.platform === 'linux' ? readStatus(each, 'VmHWM') : readResident(each)),
        0,
      ),
    /** Returns the target's CPU time so far, in milliseconds. Except on Linux, returns `NaN`. */
    readProcessorMs: () => readPids().reduce((sum, each) => sum + readProcessorMs(each), 0),
    /** Stops the target, and resolves once it has ended. */
    async stop(): Promise<void> {
      if (!running.has(child)) return;
      const killTimer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
      child.kill('SIGTERM');
      await once(child, 'exit');
      clearTimeout(killTimer);
      if (child.signalCode === 'SIGKILL') throw new Error(`${target.title} had to be killed`);
    },
  };
}

/** Returns the IDs of the child processes of a process. Except on Linux, returns none. */
function readChildren(pid: number): number[] {
  if (process.platform !== 'linux') return [];
  const ids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return ids === '' ? [] : ids.split(' ').map(Number);
}

/** The unit of CPU time in `/proc`. */
const tickMs = 10;

function readProcessorMs(pid: number): number {
  if (process.platform !== 'linux') return Number.NaN;
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The program name, in parentheses, can have spaces.
  const [userTicks, systemTicks] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13);
  return (Number(userTicks) + Number(systemTicks)) * tickMs;
}

/** Returns the resident memory of a process, in bytes, from `ps`. */
const readResident = (pid: number) =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1_024;

/** Returns a size from `/proc/<pid>/status`, in bytes. */
function readStatus(pid: number, field: 'VmRSS' | 'VmHWM' | 'RssFile'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(new RegExp(`^${field}:\\s*(\\d+) kB$`, 'm').exec(status)?.[1]) * 1_024;
}
