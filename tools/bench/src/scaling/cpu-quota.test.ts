import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createCpuQuota } from './cpu-quota.js';

function controlGroups(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  mkdirSync(join(root, 'cpu'));
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
  return root;
}

/** The files of a group, by their names. */
function readGroup(folder: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  );
}

it('limits each process in a group of its own, in version 1', () => {
  const root = controlGroups({ 'cpu/cpu.cfs_quota_us': '-1' });
  const quota = createCpuQuota(0.1, root);
  quota.limit(41);
  quota.limit(42);
  for (const pid of ['41', '42']) {
    expect(readGroup(join(root, 'cpu', `plant-store-bench-${pid}`))).toEqual({
      'cpu.cfs_period_us': '100000',
      'cpu.cfs_quota_us': '10000',
      'cgroup.procs': pid,
    });
  }
});

it('limits each process in a group of its own, in version 2', () => {
  const root = controlGroups({ 'cgroup.controllers': 'cpuset cpu memory\n', 'cgroup.subtree_control': '' });
  createCpuQuota(0.25, root).limit(41);
  expect(readFileSync(join(root, 'cgroup.subtree_control'), 'utf8')).toBe('+cpu');
  expect(readGroup(join(root, 'plant-store-bench-41'))).toEqual({
    'cpu.max': '25000 100000',
    'cgroup.procs': '41',
  });
});

it('removes the groups that it created and those of an interrupted run, but not others in use', async () => {
  const root = controlGroups({ 'cpu/cpu.cfs_quota_us': '-1' });
  mkdirSync(join(root, 'cpu', 'plant-store-bench-40'));
  const quota = createCpuQuota(0.1, root);
  expect(readdirSync(join(root, 'cpu'))).toEqual(['cpu.cfs_quota_us']);
  mkdirSync(join(root, 'cpu', 'plant-store-bench-42'));
  quota.limit(41);
  expect(() => quota.limit(42)).toThrow('Could not create the control group');
  // The system removes these files with their folder.
  const own = join(root, 'cpu', 'plant-store-bench-41');
  for (const name of readdirSync(own)) rmSync(join(own, name));
  await quota.remove();
  expect(readdirSync(join(root, 'cpu')).toSorted()).toEqual(['cpu.cfs_quota_us', 'plant-store-bench-42']);
});

it.each([
  ['no control groups', {}],
  ['no CPU controller', { 'cgroup.controllers': 'cpuset memory\n' }],
])('says what is missing where there is %s', (_, files) => {
  expect(() => createCpuQuota(0.1, controlGroups(files))).toThrow('Run it on Linux, as root.');
});
