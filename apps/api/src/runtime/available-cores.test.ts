import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../../test/support/temporary-folder.js';
import { countAvailableCores } from './available-cores.js';

/** Counts the cores on a machine with these files, below the mount of its control groups. */
function countWith(membership: string, files: Readonly<Record<string, string>>): number {
  const folder = temporaryFolder();
  const mount = join(folder, 'cgroup');
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(mount, name)), { recursive: true });
    writeFileSync(join(mount, name), text);
  }
  writeFileSync(join(folder, 'membership'), membership);
  return countAvailableCores({ membership: join(folder, 'membership'), mount });
}

it('is the number of cores without a limit, or without control groups', () => {
  expect(countWith('0::/\n', { 'cpu.max': 'max 100000\n' })).toBe(availableParallelism());
  expect(
    countWith('1:cpu:/\n', { 'cpu/cpu.cfs_quota_us': '-1\n', 'cpu/cpu.cfs_period_us': '100000\n' }),
  ).toBe(availableParallelism());
  expect(countAvailableCores({ membership: '/missing', mount: '/missing' })).toBe(availableParallelism());
});

it.each([
  ['of version 2', '0::/a/b\n', { 'a/b/cpu.max': '100000 100000\n' }],
  [
    'of version 2, of a group around it',
    '0::/a/b\n',
    { 'a/cpu.max': '190000 100000\n', 'a/b/cpu.max': 'max 100000\n' },
  ],
  ['of version 2, below a core', '0::/\n', { 'cpu.max': '10000 100000\n' }],
  [
    'of version 1',
    '3:cpuset:/\n2:cpu,cpuacct:/a\n',
    { 'cpu,cpuacct/a/cpu.cfs_quota_us': '100000\n', 'cpu,cpuacct/a/cpu.cfs_period_us': '100000\n' },
  ],
  [
    'of version 1, mounted as cpu',
    '2:cpu,cpuacct:/a\n',
    { 'cpu/a/cpu.cfs_quota_us': '50000\n', 'cpu/a/cpu.cfs_period_us': '50000\n' },
  ],
])('is 1 with a limit %s', (_, membership, files) => {
  expect(countWith(membership, files as unknown as Record<string, string>)).toBe(1);
});
