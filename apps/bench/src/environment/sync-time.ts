import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../report/median.js';

const syncs = 200;
const page = Buffer.alloc(4096, 'x');

/**
 * How long the file system that holds a folder takes to put one appended page of 4 KiB on disk, in milliseconds: the
 * median of 200. It is what a durable commit waits for at least, and what group commit divides among many.
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
