import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

/** Where the system describes control groups; tests have their own. */
export interface CgroupFiles {
  /** The groups of this process (cgroups(7), "/proc files"). */
  readonly membership: string;
  /** The folder in which the hierarchies are mounted. */
  readonly mount: string;
}

const systemFiles: CgroupFiles = { membership: '/proc/self/cgroup', mount: '/sys/fs/cgroup' };

/**
 * How many cores this process may use: those that it may be scheduled on, and no more than the CPU limit of its control
 * group allows, as a container has one. At least 1; fractions are rounded down. libuv finds the limit in some layouts only.
 */
export function countAvailableCores(files: CgroupFiles = systemFiles): number {
  return Math.max(1, Math.floor(Math.min(availableParallelism(), readCpuLimit(files))));
}

/** The lowest limit of the groups of this process and those around them, in cores; infinite without any. */
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

/** The folder of a group and those of the groups around it. In a container its own may be mounted as the root. */
function listUpwards(root: string, path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '');
  return Array.from({ length: parts.length + 1 }, (_, depth) => join(root, ...parts.slice(0, depth)));
}

/** The limit of a group of version 2: `max`, or a quota and a period in microseconds. */
function readVersion2(folder: string): number {
  const [quota, period] = (readText(join(folder, 'cpu.max')) ?? 'max').trim().split(' ');
  return toCores(Number(quota), Number(period));
}

/** The limit of a group of version 1, whose quota is -1 without one. */
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
