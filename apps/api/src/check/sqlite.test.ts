import { expect, it } from 'vitest';
import { assessDiskSpace, assessFileSystem, assessSyncTime } from './sqlite.js';

it.each([
  ['NFS', 0x6969, 'error'],
  ['SMB', 0xff534d42, 'error'],
  ['CephFS', 0x00c36400, 'error'],
  ['memory', 0x01021994, 'warning'],
  ['container', 0x794c7630, 'warning'],
  ['FUSE', 0x65735546, 'warning'],
  ['a local disk', 0xef53, 'ok'],
])('assesses a file system of the kind %s', (kind, type, status) => {
  const result = assessFileSystem(type, '/srv/plants', 'linux');
  expect(result).toMatchObject({ status, found: expect.stringContaining('/srv/plants') });
  expect(result.found).toContain(kind);
});

it('does not guess the file system where the numbers mean something else', () => {
  expect(assessFileSystem(0x6969, '/srv', 'darwin')).toMatchObject({ status: 'ok' });
});

it('reports a full disk, and one without room for a backup', () => {
  expect(assessDiskSpace({ freeBytes: 2e8, databaseBytes: 0 })).toMatchObject({
    status: 'error',
    found: expect.stringContaining('200 MB free'),
  });
  expect(assessDiskSpace({ freeBytes: 2e9, databaseBytes: 3e9 })).toMatchObject({ status: 'warning' });
  expect(assessDiskSpace({ freeBytes: 4e9, databaseBytes: 3e9 })).toMatchObject({ status: 'ok' });
});

it('warns of a slow disk', () => {
  expect(assessSyncTime(0.1)).toMatchObject({
    status: 'ok',
    found: expect.stringContaining('10000 commits'),
  });
  expect(assessSyncTime(25)).toMatchObject({
    status: 'warning',
    found: expect.stringContaining('40 commits'),
  });
  expect(assessSyncTime(2_500)).toMatchObject({
    status: 'warning',
    found: expect.stringContaining('1 commits'),
  });
});
