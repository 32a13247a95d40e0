import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** How often to check whether they still run, in milliseconds. */
const intervalMs = 500;

/** How many processes a package manager may start before the actual command: npx, a shell, pnpm, the pinned pnpm. */
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
 * or killing pnpm, so the service would keep running (npm/cli, `npm exec`). Other ancestors, such as the user's shell, may end.
 *
 * @returns what resolves up to half a second after one of them has ended, and a function that checks now whether one has
 */
export function watchLauncher() {
  const parent = process.ppid;
  const first = tryFindStartingProcesses(parent);
  let known: readonly number[] | undefined;
  const haveEnded = async (): Promise<boolean> => {
    known ??= (await first) ?? [parent];
    if (process.ppid !== parent || !known.every(isRunning)) return true;
    // On other systems, each check would start programs.
    if (process.platform !== 'linux') return false;
    const found = (await tryFindStartingProcesses(parent)) ?? known;
    // A process whose parent has ended is adopted by another one, such as process 1.
    if (found.length < known.length) return true;
    known = found;
    return false;
  };
  const watch = async () => {
    while (!(await haveEnded())) await delay(intervalMs, undefined, { ref: false });
  };
  return { ended: watch(), haveEnded };
}

/** As `findStartingProcesses`; `undefined` if they cannot be read now, for example because no file descriptors are free. */
function tryFindStartingProcesses(pid: number): Promise<readonly number[] | undefined> {
  return findStartingProcesses(pid).catch(() => undefined);
}

/** The package managers that have started a process, directly or through a shell, and the process itself. */
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
    // Other errors mean that it exists and belongs to another user.
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

/** The errors of reading `/proc` if the process has ended, or belongs to another user and `/proc` hides it. */
const absent = new Set(['ENOENT', 'ESRCH', 'EACCES', 'EPERM']);

/**
 * Reads a process on Linux (proc(5)), because images often lack `ps`. `undefined` if there is no such process.
 *
 * @throws any other error of reading; the process may be running
 */
function readFromProc(pid: number): ProcessState | undefined {
  try {
    // The program name comes before these, in parentheses, and may contain parentheses itself.
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
 * @param environment contains `NOTIFY_SOCKET` when started by a unit of this type; otherwise this does nothing
 * @throws {Error} when `systemd-notify` fails; the unit then fails after its `TimeoutStartSec`
 */
export async function notifySystemd(
  environment: Readonly<Record<string, string | undefined>>,
): Promise<void> {
  if (!environment['NOTIFY_SOCKET']) return;
  await run('systemd-notify', ['--ready'], { env: { ...environment }, timeout: notifyTimeoutMs });
}
