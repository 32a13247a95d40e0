import { expect, it } from 'vitest';
import { mountOf } from './mount-of.js';

const mounts = '/dev/sda1 / ext4 rw 0 0\ntmpfs /tmp tmpfs rw 0 0\n/dev/sdb1 /work xfs rw 0 0\n';

it.each([
  ['/tmp/run', 'tmpfs'],
  ['/tmpfoo', 'ext4'],
  ['/work', 'xfs'],
  ['/home/someone', 'ext4'],
])('%s is on %s', (folder, type) => {
  expect(mountOf(folder, mounts)).toBe(type);
});

it('returns `unknown` without a list of mounts', () => {
  expect(mountOf('/tmp', '')).toBe('unknown');
});
