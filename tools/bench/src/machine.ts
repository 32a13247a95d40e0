import { closeSync, fdatasyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { formatFigure, median } from './report.js';

/** The machine, the date, and the command of a measurement. */
export type Machine = ReturnType<typeof describeMachine>;

/** Describes this machine. `folder` must be on the disk of the databases. */
export function describeMachine(folder: string) {
  return {
    date: new Date().toISOString(),
    command: ['pnpm bench', ...process.argv.slice(2)].join(' '),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryBytes: totalmem(),
    system: `${platform()} ${release()} ${arch()}`,
    node: process.version,
    syncMs: measureSyncMs(folder),
    // The load average of the minute before the first run shows whether the machine was busy with anything else.
    loadBefore: loadavg()[0] ?? 0,
  };
}

/** Formats a machine in one line. */
export function machineLine(machine: Machine): string {
  const gibibytes = Math.round(machine.memoryBytes / 2 ** 30);
  return (
    `${machine.cpu}, ${machine.cores} cores, ${gibibytes} GiB, ${machine.system}, Node.js ${machine.node}, ` +
    `disk synced in ${formatFigure(machine.syncMs)} ms, ${machine.date.slice(0, 10)}`
  );
}

/**
 * Measures how long it takes to sync one appended page of 4 KiB to disk. Returns the median of 200 syncs. A durable commit takes at least
 * as long, and group commit shares this time among many records.
 */
function measureSyncMs(folder: string): number {
  const path = join(folder, 'sync-time');
  const file = openSync(path, 'w');
  const times = Array.from({ length: 200 }, () => {
    writeSync(file, Buffer.alloc(4096, 'x'));
    const startedAtMs = performance.now();
    fdatasyncSync(file);
    return performance.now() - startedAtMs;
  });
  closeSync(file);
  rmSync(path);
  return median(times);
}
