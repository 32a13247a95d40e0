import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '@plant-store/report';

const syncs = 200;
const page = Buffer.alloc(4096, 'x');

/**
 * How long the file system of a folder takes to sync one appended page of 4 KiB to disk, in milliseconds: the median of
 * 200. A durable commit takes at least as long; group commit shares that time among many plants.
 */
export function measureSyncMs(folder: string): number {
  const path = join(folder, 'sync-time');
  const file = openSync(path, 'w');
  const times = Array.from({ length: syncs }, () => {
    writeSync(file, page);
    const startedAtMs = performance.now();
    fdatasyncSync(file);
    return performance.now() - startedAtMs;
  });
  closeSync(file);
  rmSync(path);
  return median(times);
}
