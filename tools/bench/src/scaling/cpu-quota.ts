import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** How often the share of a process is renewed. */
const periodMicroseconds = 100_000;

const removeAttempts = 50;
const retryMs = 20;

const prefix = 'plant-store-bench-';

/** Control groups are missing here, or this process may not create them. */
export class ControlGroupError extends Error {
  override readonly name = 'ControlGroupError';
}

/** Limits processes to a share of one core each. */
export interface CpuQuota {
  /** Puts a process, with all its threads, into a control group of its own. */
  limit(pid: number): void;
  /** Removes the groups, once their processes have ended. */
  remove(): Promise<void>;
}

/**
 * Control groups of Linux, version 1 or 2, whichever has the CPU controller.
 *
 * @param share of one core, such as 0.1
 * @throws {ControlGroupError} where this process may not create control groups
 */
export function createCpuQuota(share: number, root = '/sys/fs/cgroup'): CpuQuota {
  const version = findVersion(root);
  removeStaleGroups(version.parent);
  const folders: string[] = [];
  return {
    limit(pid) {
      const folder = join(version.parent, `${prefix}${pid}`);
      explainFailure(folder, () => {
        mkdirSync(folder);
        folders.push(folder);
        for (const [file, value] of version.limits(Math.round(share * periodMicroseconds))) {
          writeFileSync(join(folder, file), value);
        }
        writeFileSync(join(folder, 'cgroup.procs'), String(pid));
      });
    },
    async remove() {
      for (const folder of folders.splice(0)) await removeGroup(folder);
    },
  };
}

interface CgroupVersion {
  /** The folder in which groups are created. */
  readonly parent: string;
  /** The files of a group that limit it to a time in each period, in microseconds. */
  limits(quota: number): readonly (readonly [file: string, value: string])[];
}

function findVersion(root: string): CgroupVersion {
  const own = join(root, 'cpu');
  if (existsSync(join(own, 'cpu.cfs_quota_us'))) {
    return {
      parent: own,
      limits: (quota) => [
        ['cpu.cfs_period_us', String(periodMicroseconds)],
        ['cpu.cfs_quota_us', String(quota)],
      ],
    };
  }
  const controllers = join(root, 'cgroup.controllers');
  if (existsSync(controllers) && readFileSync(controllers, 'utf8').trim().split(' ').includes('cpu')) {
    explainFailure(root, () => writeFileSync(join(root, 'cgroup.subtree_control'), '+cpu'));
    return { parent: root, limits: (quota) => [['cpu.max', `${quota} ${periodMicroseconds}`]] };
  }
  throw new ControlGroupError(`No CPU controller of control groups in ${root}. Run it on Linux, as root.`);
}

function explainFailure(folder: string, action: () => void): void {
  try {
    action();
  } catch (cause) {
    throw new ControlGroupError(
      `Could not create the control group ${folder}. Run it as root, outside of a container.`,
      {
        cause,
      },
    );
  }
}

/** A run that was interrupted leaves its groups behind, empty. */
function removeStaleGroups(parent: string): void {
  for (const name of readdirSync(parent).filter((each) => each.startsWith(prefix))) {
    try {
      rmdirSync(join(parent, name));
    } catch {
      // Another run uses it.
    }
  }
}

/** A group is busy until the system has removed the last process from it. */
async function removeGroup(folder: string): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      rmdirSync(folder);
      return;
    } catch (error) {
      if (attempt === removeAttempts) throw error;
      await delay(retryMs);
    }
  }
}
