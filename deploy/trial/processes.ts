import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The ids of the user and the group that the servers run as; none if they run as the current user. */
export type ServerUser = { readonly uid: number; readonly gid: number } | undefined;

/** Finds that user: `postgres` if this process runs as root, as which PostgreSQL does not start. */
export function findServerUser(): ServerUser {
  if (process.getuid?.() !== 0) return undefined;
  const read = (option: string) => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
  return { uid: read('-u'), gid: read('-g') };
}

/** How to start a program. */
export interface Start {
  /** The name of its log, `<name>.log` in the folder. */
  readonly name: string;
  /** An existing folder for its log. */
  readonly folder: string;
  readonly user?: ServerUser;
  /** Its environment besides `PATH`. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Called if it ends, or does not start, without having been killed. */
  readonly onFailure: (error: Error) => void;
}

/** Those that were started and neither ended nor were killed. */
const running = new Set<ChildProcess>();

/** Starts a program in a process group of its own, so that Ctrl-C reaches this process alone, which stops all in order. */
export function start(
  [program = '', ...args]: readonly string[],
  { name, folder, user, environment, onFailure }: Start,
): ChildProcess {
  const logFile = join(folder, `${name}.log`);
  const log = openSync(logFile, 'a');
  const child = spawn(program, args, {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...environment },
    stdio: ['ignore', log, log],
    detached: true,
    ...user,
  });
  closeSync(log);
  running.add(child);
  child.once('exit', (status, signal) => {
    if (running.delete(child)) onFailure(new Error(`${name} ended with ${status ?? signal}: see ${logFile}`));
  });
  child.once('error', (error) => {
    if (running.delete(child)) onFailure(error);
  });
  return child;
}

/** Whether a process that `start` returned has neither ended nor been killed. */
export function isRunning(child: ChildProcess): boolean {
  return running.has(child);
}

/** Kills every process that `start` started, and their children that stayed in their process groups. */
export function killAll(): void {
  for (const child of running) killGroup(child);
}

/** Kills a process that `start` returned, with its process group. */
export function killGroup(child: ChildProcess): void {
  running.delete(child);
  if (child.pid !== undefined) kill(-child.pid);
}

/**
 * Kills the PostgreSQL of a data folder, if it runs: its first process and the others, all at once, as the loss of the
 * machine would. Patroni has started it in a session of its own.
 */
export function killPostgresql(dataFolder: string): void {
  const pid = readPostmasterPid(dataFolder);
  if (pid === undefined) return;
  for (const one of [pid, ...listChildren(pid)]) kill(one);
}

/**
 * Ends the PostgreSQL of each data folder by an immediate shutdown, which removes its shared memory, and kills those that
 * have not ended within 10 seconds. It blocks until then, so that it can run while this process exits.
 */
export function stopPostgresqls(dataFolders: readonly string[]): void {
  for (const dataFolder of dataFolders) {
    const pid = readPostmasterPid(dataFolder);
    if (pid !== undefined) kill(pid, 'SIGQUIT');
  }
  const never = new Int32Array(new SharedArrayBuffer(4));
  const end = performance.now() + 10_000;
  while (dataFolders.some(readPostmasterPid) && performance.now() < end) Atomics.wait(never, 0, 0, 50);
  for (const dataFolder of dataFolders) killPostgresql(dataFolder);
}

/**
 * Sends signals to the process that receives the write-ahead log of the primary, if the PostgreSQL of a data folder is a
 * standby.
 */
export function signalWalReceiver(dataFolder: string, ...signals: readonly NodeJS.Signals[]): void {
  const postmaster = readPostmasterPid(dataFolder);
  if (postmaster === undefined) return;
  for (const pid of listChildren(postmaster)) {
    if (readCommand(pid).includes('walreceiver')) for (const signal of signals) kill(pid, signal);
  }
}

/** Reads the id of the first process from its file, unless that is left over from another one. */
function readPostmasterPid(dataFolder: string): number | undefined {
  try {
    const pid = Number(readFileSync(join(dataFolder, 'postmaster.pid'), 'utf8').split('\n', 1)[0]);
    return readCommand(pid).includes(dataFolder) ? pid : undefined;
  } catch {
    return undefined;
  }
}

/** Reads the command of a process, which PostgreSQL replaces by what the process does; empty once it has ended. */
function readCommand(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

/** Lists the processes whose parent is this one (proc(5), `/proc/pid/stat`). */
function listChildren(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1) ?? '';
        return Number(afterName.split(' ')[1]) === parent;
      } catch {
        // It has ended since.
        return false;
      }
    });
}

function kill(pid: number, signal: NodeJS.Signals = 'SIGKILL'): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended since.
  }
}
