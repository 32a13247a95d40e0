import { spawn } from 'node:child_process';
import { readFileSync, realpathSync } from 'node:fs';
import { onTestFinished } from 'vitest';
import { type Result, type RunningCommand, watchCommand } from '../process/run-command.js';
import { until } from '../until.js';
import { nodePath } from './create-root.js';

/** How a process is run, much as by a container engine. */
export interface Confinement {
  /** A folder that `createRoot` made, which the process finds as `/` and cannot write to. */
  readonly root: string;
  /** Folders that it may write to, by their paths in its root. */
  readonly volumes: Readonly<Record<string, string>>;
  readonly workingFolder: string;
  readonly user: { readonly uid: number; readonly gid: number };
  /** All variables that it gets, besides `PATH`. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Mounts what a root needs, in a namespace of its own, and becomes the first process in another one. */
const script = `set -e
root=$1 node=$2 working=$3 user=$4 group=$5 volumes=$6
shift 6
mount --bind "$root" "$root"
mount --bind "$node" "$root${nodePath}"
mount --bind /dev/null "$root/dev/null"
mount --bind /dev/urandom "$root/dev/urandom"
mount -t proc proc "$root/proc"
while [ "$volumes" -gt 0 ]; do
  mount --bind "$1" "$root$2"
  shift 2
  volumes=$((volumes - 1))
done
mount -o remount,bind,ro "$root"
exec unshare --root="$root" --wd="$working" --setgid="$group" --setuid="$user" "$@"`;

/**
 * Starts a program in a root of its own, as the first process of a namespace, with the network of the test. At the end of
 * the test it is killed at the latest, with all others of its namespace.
 */
export function startInRoot(
  { root, volumes, workingFolder, user, environment }: Confinement,
  command: readonly string[],
): RunningCommand {
  const mounts = Object.entries(volumes).flatMap(([target, source]) => [source, target]);
  const node = realpathSync(process.execPath);
  const child = spawn(
    '/usr/bin/unshare',
    ['--mount', '--pid', '--fork', '--kill-child', '/bin/sh', '-c', script, 'sh'].concat(
      [root, node, workingFolder, `${user.uid}`, `${user.gid}`, `${mounts.length / 2}`],
      mounts,
      command,
    ),
    {
      env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  const watched = watchCommand(child);
  // To kill `unshare` is not enough: its --kill-child does not outlive the change of the user (prctl(2), PR_SET_PDEATHSIG).
  onTestFinished(() => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const first = findChild(child.pid);
    if (first !== undefined) process.kill(first, 'SIGKILL');
  });
  return {
    ...watched,
    async end(signal) {
      if (signal !== undefined) process.kill(await until(() => findChild(child.pid)), signal);
      return watched.end();
    },
  };
}

/** Runs a program there until it exits. */
export function runInRoot(confinement: Confinement, command: readonly string[]): Promise<Result> {
  return startInRoot(confinement, command).end();
}

/** The process that `unshare` waits for, which does not get its signals. */
function findChild(pid: number | undefined): number | undefined {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim();
  return children === '' ? undefined : Number(children);
}
