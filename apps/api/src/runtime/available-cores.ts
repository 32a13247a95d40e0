import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

/** The paths at which the system describes control groups. Tests pass their own. */
export interface CgroupFiles {
  /** The file that lists this process's groups (cgroups(7), "/proc files"). */
  readonly membership: string;
  /** The folder where the hierarchies are mounted. */
  readonly mount: string;
}

const systemFiles: CgroupFiles = { membership: '/proc/self/cgroup', mount: '/sys/fs/cgroup' };

/**
 * Returns how many cores this process can use: those that the system can schedule it on, up to the CPU limit of its control group, such as
 * a container's. The result is at least 1, and fractions are rounded down. libuv finds the limit only in some layouts.
 */
export function countAvailableCores(files: CgroupFiles = systemFiles): number {
  return Math.max(1, Math.floor(Math.min(availableParallelism(), readCpuLimit(files))));
}

/** Returns the lowest CPU limit of this process's groups and their ancestors, in cores. Without a limit, returns infinity. */
function readCpuLimit({ membership, mount }: CgroupFiles): number {
  const limits = (readText(membership) ?? '').split('\n').flatMap((line) => {
    const [, controllers, path] = /^\d+:([^:]*):(\/.*)$/.exec(line) ?? [];
    if (path === undefined) return [];
    // Version 2 has a single hierarchy, whose line names no controllers.
    if (controllers === '') return listUpwards(mount, path).map(readVersion2);
    if (!controllers?.split(',').includes('cpu')) return [];
    return [controllers, 'cpu'].flatMap((folder) => listUpwards(join(mount, folder), path).map(readVersion1));
  });
  return Math.min(Number.POSITIVE_INFINITY, ...limits);
}

/** Lists the folders of a group and its ancestors. In a container, the container's own group can be mounted as the root. */
function listUpwards(root: string, path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '');
  return Array.from({ length: parts.length + 1 }, (_, depth) => join(root, ...parts.slice(0, depth)));
}

/** Reads the limit of a version 2 group: `max`, or a quota and a period in microseconds. */
function readVersion2(folder: string): number {
  const [quota, period] = (readText(join(folder, 'cpu.max')) ?? 'max').trim().split(' ');
  return toCores(Number(quota), Number(period));
}

/** Reads the limit of a version 1 group, whose quota is -1 without a limit. */
function readVersion1(folder: string): number {
  const [quota, period] = ['cpu.cfs_quota_us', 'cpu.cfs_period_us'].map((name) =>
    Number(readText(join(folder, name))),
  );
  return toCores(quota, period);
}

function toCores(quota = Number.NaN, period = Number.NaN): number {
  return quota > 0 && period > 0 ? quota / period : Number.POSITIVE_INFINITY;
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
