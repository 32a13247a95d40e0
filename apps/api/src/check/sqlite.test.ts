import { expect, it } from 'vitest';
import { assessDiskSpace, assessFileSystem, assessSyncTime } from './sqlite.js';

it.each([
  ['NFS', 0x6969, 'linux', 'error'],
  ['SMB', 0xff534d42, 'linux', 'error'],
  ['CephFS', 0x00c36400, 'linux', 'error'],
  ['memory', 0x01021994, 'linux', 'warning'],
  ['container', 0x794c7630, 'linux', 'warning'],
  ['FUSE', 0x65735546, 'linux', 'warning'],
  ['a local disk', 0xef53, 'linux', 'ok'],
  // There the numbers mean something else.
  ['', 0x6969, 'darwin', 'ok'],
] as const)('assesses a file system of the kind %s, %i on %s: %s', (kind, type, system, status) => {
  const result = assessFileSystem(type, '/srv/plants', system);
  expect(result).toMatchObject({ status, found: expect.stringContaining('/srv/plants') });
  expect(result.found).toContain(kind);
});

it.each([
  [assessDiskSpace({ free: 2e8, database: 0 }), 'error', '200 MB free'],
  // Without room for a backup.
  [assessDiskSpace({ free: 2e9, database: 3e9 }), 'warning', ''],
  [assessDiskSpace({ free: 4e9, database: 3e9 }), 'ok', ''],
  [assessSyncTime(0.1), 'ok', '10000 commits'],
  [assessSyncTime(25), 'warning', '40 commits'],
  [assessSyncTime(2_500), 'warning', '1 commits'],
])('reports a full disk, and warns of a slow one: %o', (finding, status, found) => {
  expect(finding).toMatchObject({ status, found: expect.stringContaining(found) });
});
