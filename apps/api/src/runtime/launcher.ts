import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** How often to check whether the watched processes are still running, in milliseconds. */
const intervalMs = 500;

/** How many processes a package manager can start before the actual command: npx, a shell, pnpm, the pinned pnpm. */
const maxDepth = 5;

const packageManagers = new Set(['npx', 'npx-cli.js', 'pnpm', 'pnpm.js', 'pnpm.cjs', 'pnpm.mjs']);
const shells = new Set(['sh', 'bash', 'dash', 'zsh']);

interface ProcessState {
  readonly parent: number;
  readonly words: readonly string[];
  readonly isZombie: boolean;
}

/**
 * Watches the parent of this process, and the package managers that started the parent. npx exits on SIGTERM without forwarding it to pnpm
 * or killing pnpm, so the service would keep running (npm/cli, `npm exec`). Other ancestors, such as the user's shell, can end.
 *
 * @returns a promise that resolves up to half a second after one of them has ended, and a function that checks immediately
 */
export function watchLauncher() {
  const parent = process.ppid;
  const first = tryFindStartingProcesses(parent);
  let known: readonly number[] | undefined;
  const haveEnded = async (): Promise<boolean> => {
    known ??= (await first) ?? [parent];
    if (process.ppid !== parent || !known.every(isRunning)) return true;
    // On other systems, each check would start `ps` several times.
    if (process.platform !== 'linux') return false;
    const found = (await tryFindStartingProcesses(parent)) ?? known;
    // When a process ends, another process, such as process 1, adopts its children, so the search no longer finds its ancestors.
    if (found.length < known.length) return true;
    known = found;
    return false;
  };
  const watch = async () => {
    while (!(await haveEnded())) await delay(intervalMs, undefined, { ref: false });
  };
  return { ended: watch(), haveEnded };
}

/** Like `findStartingProcesses`, but resolves to `undefined` if a process cannot be read, such as when no file descriptors are free. */
function tryFindStartingProcesses(pid: number): Promise<readonly number[] | undefined> {
  return findStartingProcesses(pid).catch(() => undefined);
}

/** Finds a process and the package managers that started it, directly or through a shell. */
async function findStartingProcesses(pid: number): Promise<readonly number[]> {
  const found = [pid];
  let next = (await readProcess(pid))?.parent;
  for (let depth = 0; next !== undefined && depth < maxDepth; depth++) {
    const state = await readProcess(next);
    const kind = state && kindOf(state.words);
    if (state === undefined || kind === undefined) break;
    if (kind === 'package manager') found.push(next);
    next = state.parent;
  }
  return found;
}

/** Classifies a process by the words of its command line. npx sets its title to `npm exec …`. */
function kindOf([first = '', second = '']: readonly string[]): 'package manager' | 'shell' | undefined {
  if (first === 'npm' && second === 'exec') return 'package manager';
  if (packageManagers.has(basename(first)) || packageManagers.has(basename(second))) return 'package manager';
  return shells.has(basename(first)) ? 'shell' : undefined;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // Other errors mean that the process exists and belongs to another user.
    return error instanceof Error && 'code' in error && error.code !== 'ESRCH';
  }
  try {
    // A zombie has ended, but its parent has not read its exit status yet.
    return readFromProc(pid)?.isZombie !== true;
  } catch {
    return true;
  }
}

async function readProcess(pid: number): Promise<ProcessState | undefined> {
  return process.platform === 'linux' ? readFromProc(pid) : readFromPs(pid);
}

/** The error codes of reading `/proc` if the process has ended, or if `/proc` hides it because it belongs to another user. */
const absent = new Set(['ENOENT', 'ESRCH', 'EACCES', 'EPERM']);

/**
 * Reads a process from `/proc` on Linux (proc(5)), because images often lack `ps`. Returns `undefined` if there is no such process.
 *
 * @throws any other read error; the process might be running
 */
function readFromProc(pid: number): ProcessState | undefined {
  try {
    // The program name comes before these fields, in parentheses, and can contain parentheses.
    const [state, parent] = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split(/[\0\s]+/);
    return { parent: Number(parent), words, isZombie: state === 'Z' };
  } catch (error) {
    if (error instanceof Error && 'code' in error && absent.has(String(error.code))) return undefined;
    throw error;
  }
}

async function readFromPs(pid: number): Promise<ProcessState | undefined> {
  try {
    const { stdout } = await run('ps', ['-o', 'ppid=,state=,args=', '-p', String(pid)]);
    const [parent, state = '', ...words] = stdout.trim().split(/\s+/);
    return { parent: Number(parent), words, isZombie: state.startsWith('Z') };
  } catch {
    return undefined;
  }
}

/** Timeout for notifying systemd, in milliseconds. */
const notifyTimeoutMs = 10_000;

/**
 * Reports to systemd that the service has started, for units of `Type=notify` (sd_notify(3)). Uses `systemd-notify`, because Node.js does
 * not support Unix datagram sockets; so the unit needs `NotifyAccess=all`.
 *
 * @param environment contains `NOTIFY_SOCKET` if a unit of this type started the service. Otherwise, this function does nothing
 * @throws {Error} when `systemd-notify` fails. The unit then fails after its `TimeoutStartSec`
 */
export async function notifySystemd(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  if (!environment['NOTIFY_SOCKET']) return;
  await run('systemd-notify', ['--ready'], { env: { ...environment }, timeout: notifyTimeoutMs });
}
