import { readFile } from 'node:fs/promises';
import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os';
import { formatMs } from '@plant-store/report';
import { z } from 'zod';
import { mountOf } from './mount-of.js';
import { measureSyncMs } from './sync-time.js';

/** Where and how figures were measured. */
export const MachineSchema = z.object({
  date: z.string(),
  command: z.string(),
  cpu: z.string(),
  cores: z.int(),
  memoryBytes: z.int(),
  system: z.string(),
  node: z.string(),
  /** The file system of the databases; on one in memory a durable commit costs nothing. */
  fileSystem: z.string(),
  /** How long it takes to sync an appended page to disk, in milliseconds. */
  syncMs: z.number(),
  /** The load average of the minute before the first run: how busy the machine was otherwise. */
  loadBefore: z.number(),
});

export type Machine = z.output<typeof MachineSchema>;

/** Describes this machine; `folder` is where the databases are. */
export async function describeMachine(folder: string): Promise<Machine> {
  return {
    date: new Date().toISOString(),
    command: ['pnpm bench', ...process.argv.slice(2)].join(' '),
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    memoryBytes: totalmem(),
    system: `${platform()} ${release()} ${arch()}`,
    node: process.version,
    syncMs: measureSyncMs(folder),
    fileSystem: mountOf(folder, await readFile('/proc/mounts', 'utf8').catch(() => '')),
    loadBefore: loadavg()[0] ?? 0,
  };
}

/** Formats a machine in one line. */
export function machineLine(machine: Machine): string {
  const gibibytes = Math.round(machine.memoryBytes / 2 ** 30);
  return `${machine.cpu}, ${machine.cores} cores, ${gibibytes} GiB, ${machine.system}, Node.js ${machine.node}, ${machine.fileSystem} synced in ${formatMs(machine.syncMs)} ms, ${machine.date.slice(0, 10)}`;
}
