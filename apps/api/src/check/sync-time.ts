import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../errors/operator-error.js';
import { failure, type Item, medianOf, ok, type Result, warning } from './finding.js';
import type { SqliteFiles } from './sqlite-files.js';

/** The measured writes: at most so many, of so many bytes, and for so many milliseconds. */
const writes = 25;
const writeBytes = 4_096;
const maxDurationMs = 3_000;

/** The time above which a disk is slow, in milliseconds: a hard disk needs about that, a solid-state one a tenth. */
const slowMs = 10;

/** How long a small write takes until it is on the disk, as each commit does. It removes the file that it measures with. */
export const syncTime: Item<SqliteFiles> = {
  name: 'sync time',
  inspect({ folder }) {
    try {
      return assessSyncTime(measureSync(join(folder, `.plant-store-check-${randomUUID()}`)));
    } catch (error) {
      return failure(
        `no file can be written in ${folder}, as SQLite does: ${messageOf(error)}`,
        'Run the command as the user of the service, free space, or let this user write to the folder.',
      );
    }
  },
};

function measureSync(path: string): number {
  const file = openSync(path, 'wx', 0o600);
  try {
    const content = Buffer.alloc(writeBytes, 1);
    const times: number[] = [];
    const start = performance.now();
    while (times.length < writes && performance.now() - start < maxDurationMs) {
      const before = performance.now();
      writeSync(file, content);
      fsyncSync(file);
      times.push(performance.now() - before);
    }
    return medianOf(times);
  } finally {
    closeSync(file);
    rmSync(path, { force: true });
  }
}

/** @param medianMs of the measured writes, in milliseconds */
export function assessSyncTime(medianMs: number): Result {
  const commits = Math.max(1, Math.floor(1_000 / medianMs));
  const found = `${medianMs.toFixed(2)} ms (median): at most ${commits} commits a second, which concurrent creates share`;
  if (medianMs <= slowMs) return ok(found);
  return warning(
    `${found}; a create alone takes at least that long`,
    'Move the database to a solid-state disk, or to one whose cache survives a power failure.',
  );
}
