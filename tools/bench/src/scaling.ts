import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { type ComparisonOptions, compare } from './compare.js';
import { countOf } from './report.js';
import type { RunningTarget } from './start-target.js';
import { plantStore } from './targets.js';

/** The fraction of a core for each worker. */
const coreShare = 0.1;

/**
 * Compares the service with several numbers of workers. Each worker is limited to a fraction of a core, so that the machine has enough
 * cores for all. The primary process and the warm-up are not limited: at a tenth of the speed, compiling hot code would take too long.
 *
 * @throws {Error} if this process cannot create control groups
 */
export function compareWorkers(compared: Omit<ComparisonOptions, 'loads' | 'targets'>): Promise<boolean> {
  const targets = [1, 2, 4, 8].map((count) => ({
    ...plantStore({ settings: { WORKERS: String(count) } }),
    name: `workers-${count}`,
    title: `${countOf(count, 'worker')}, ${coreShare} of a core each`,
    cores: coreShare * count,
  }));
  const onWarm = ({ readPids }: RunningTarget) => {
    // With one worker, the main process does the work.
    const [main, ...children] = readPids();
    limitProcesses(children.length === 0 ? [main] : children);
  };
  return compare({ ...compared, targets, loads: [{ operation: 'create', connections: 256 }], onWarm });
}

/** The period of the CPU quota. */
const periodMicroseconds = 100_000;

/**
 * Limits each process, with all its threads, to a fraction of a core. Uses a separate control group for each, of version 1 or 2, whichever
 * has the CPU controller. Removes the groups when this process ends, unless it is interrupted while the limited processes run.
 *
 * @throws {Error} if this process cannot create control groups
 */
function limitProcesses(pids: readonly number[]): void {
  const root = '/sys/fs/cgroup';
  const quota = Math.round(coreShare * periodMicroseconds);
  const isVersion1 = existsSync(join(root, 'cpu/cpu.cfs_quota_us'));
  const parent = isVersion1 ? join(root, 'cpu') : root;
  const [file, limit] = isVersion1
    ? ['cpu.cfs_quota_us', quota]
    : ['cpu.max', `${quota} ${periodMicroseconds}`];
  const folders = pids.map((pid) => join(parent, `plant-store-bench-${pid}`));
  process.on('exit', () => spawnSync('rmdir', folders));
  try {
    if (!isVersion1) writeFileSync(join(root, 'cgroup.subtree_control'), '+cpu');
    for (const [index, folder] of folders.entries()) {
      mkdirSync(folder, { recursive: true });
      if (isVersion1) writeFileSync(join(folder, 'cpu.cfs_period_us'), String(periodMicroseconds));
      writeFileSync(join(folder, file), String(limit));
      writeFileSync(join(folder, 'cgroup.procs'), String(pids[index]));
    }
  } catch (cause) {
    throw new Error(
      `Cannot set a CPU limit in ${parent}. Run it on Linux, as root, and outside of a container.`,
      { cause },
    );
  }
}
