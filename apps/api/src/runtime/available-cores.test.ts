import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { countAvailableCores } from './available-cores.js';

const all = availableParallelism();

it.each<[title: string, membership: string, files: Record<string, string>, cores: number]>([
  ['no limit of version 2', '0::/', { 'cpu.max': 'max 100000' }, all],
  [
    'no limit of version 1',
    '1:cpu:/',
    { 'cpu/cpu.cfs_quota_us': '-1', 'cpu/cpu.cfs_period_us': '100000' },
    all,
  ],
  ['a limit of version 2', '0::/a/b', { 'a/b/cpu.max': '100000 100000' }, 1],
  [
    'a limit of a group around it',
    '0::/a/b',
    { 'a/cpu.max': '190000 100000', 'a/b/cpu.max': 'max 100000' },
    1,
  ],
  ['a limit below a core', '0::/', { 'cpu.max': '10000 100000' }, 1],
  [
    'a limit of version 1',
    '3:cpuset:/\n2:cpu,cpuacct:/a',
    { 'cpu,cpuacct/a/cpu.cfs_quota_us': '100000', 'cpu,cpuacct/a/cpu.cfs_period_us': '100000' },
    1,
  ],
  [
    'a limit of version 1, mounted as cpu',
    '2:cpu,cpuacct:/a',
    { 'cpu/a/cpu.cfs_quota_us': '50000', 'cpu/a/cpu.cfs_period_us': '50000' },
    1,
  ],
])('counts the cores with %s', (_, membership, files, cores) => {
  const folder = temporaryFolder();
  const mount = join(folder, 'cgroup');
  for (const [name, text] of Object.entries({ ...files, '../membership': membership })) {
    const file = join(mount, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${text}\n`);
  }
  expect(countAvailableCores({ membership: join(folder, 'membership'), mount })).toBe(cores);
});

it('counts all cores on a system without control groups', () => {
  expect(countAvailableCores({ membership: '/missing', mount: '/missing' })).toBe(all);
});
