import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { limitProcesses } from '../src/scaling.js';

it.each([
  [1, 'cpu/cpu.cfs_quota_us', 'cpu', { 'cpu.cfs_period_us': '100000', 'cpu.cfs_quota_us': '25000' }],
  [2, 'cgroup.subtree_control', '.', { 'cpu.max': '25000 100000' }],
])('limits each process in a control group of its own, of version %d', (_, file, parent, limit) => {
  const root = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'cpu'));
  writeFileSync(join(root, file), '');
  limitProcesses([41, 42], 0.25, root);
  for (const pid of ['41', '42']) {
    const group = join(root, parent, `plant-store-bench-${pid}`);
    const files = readdirSync(group).map((name) => [name, readFileSync(join(group, name), 'utf8')]);
    expect(Object.fromEntries(files)).toEqual({ ...limit, 'cgroup.procs': pid });
  }
});

it('says what it needs where it cannot', () => {
  expect(() => limitProcesses([41], 0.1, '/missing')).toThrow('Run it on Linux, as root');
});
