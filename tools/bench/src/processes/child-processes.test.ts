import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { readChildren } from './child-processes.js';

it('finds the children of a process, whatever their programs are called', async () => {
  const proc = mkdtempSync(join(tmpdir(), 'plant-store-bench-'));
  onTestFinished(() => rmSync(proc, { recursive: true }));
  const stats = {
    7: '7 (node) S 1 7 7 0',
    30: '30 (node) S 7 7 7 0',
    9: '9 (a) S 1 (b) R 7 7 7 0',
    31: '31 (node) Z 7 7 7 0',
    32: '32 (node) S 30 7 7 0',
    33: '33 (node) S 77 7 7 0',
  };
  for (const [pid, stat] of Object.entries(stats)) {
    mkdirSync(join(proc, pid));
    writeFileSync(join(proc, pid, 'stat'), stat);
  }
  mkdirSync(join(proc, '34'));
  mkdirSync(join(proc, 'sys'));

  expect(await readChildren(7, proc)).toEqual([9, 30]);
  expect(await readChildren(32, proc)).toEqual([]);
  expect(await readChildren(7, join(proc, 'absent'))).toEqual([]);
});
