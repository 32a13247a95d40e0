import { expect, it } from 'vitest';
import { assessDiskSpace, assessFileSystem, assessSyncTime } from './sqlite.js';

const assess = (type: number, system: NodeJS.Platform = 'linux') =>
  assessFileSystem(type, '/srv/plants', system);

it.each([
  [assess(0x6969), 'error', '/srv/plants is on NFS'],
  [assess(0xff534d42), 'error', 'SMB'],
  [assess(0x01021994), 'warning', 'memory'],
  [assess(0x794c7630), 'warning', 'container'],
  [assess(0x65735546), 'warning', 'FUSE'],
  [assess(0xef53), 'ok', 'a local disk'],
  // There the numbers mean something else.
  [assess(0x6969, 'darwin'), 'ok', ''],
  [assessDiskSpace({ free: 2e8, database: 0 }), 'error', '200 MB free'],
  // Without room for a backup.
  [assessDiskSpace({ free: 2e9, database: 3e9 }), 'warning', ''],
  [assessDiskSpace({ free: 4e9, database: 3e9 }), 'ok', ''],
  [assessSyncTime(0.1), 'ok', '10000 commits'],
  [assessSyncTime(2_500), 'warning', '1 commits'],
] as const)('reports a disk that is not local, full, or slow: %o', (finding, status, found) => {
  expect(finding).toMatchObject({ status, found: expect.stringContaining(found) });
});
