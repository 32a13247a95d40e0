import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { sqlite } from './databases.js';
import { describeMachine, machineLine } from './machine.js';
import { log } from './measure-targets.js';
import { formatMemory, medians, writeJson } from './report.js';
import { resultPath } from './results.js';
import { startTarget } from './start-target.js';
import { plantStore, type Target } from './targets.js';

const startCount = 10;

/** How long the service is idle before its memory is measured. */
const idleMs = 2_000;

/** The measurements of one start. */
export interface Start {
  readonly firstReplyMs: number;
  readonly idleMemoryBytes: number;
}

/** Measures starts of the service on a migrated database, prints the medians, and writes the results. */
export async function measureStart(folder: string): Promise<boolean> {
  const machine = describeMachine(folder);
  const [starts = []] = await measureStarts([plantStore()], folder);
  const results = { machine, ...medians(starts, 'firstReplyMs', 'idleMemoryBytes'), starts };
  writeJson(resultPath('start'), results);
  process.stdout.write(
    `Time from the start of the process to the first reply with 200: ${results.firstReplyMs.toFixed(0)} ms\n` +
      `Idle memory: ${formatMemory(results.idleMemoryBytes)}\n` +
      `Medians of ${startCount} starts. ${machineLine(machine)}\n`,
  );
  return true;
}

/** Starts each target several times on a migrated database, only one at a time. Returns the starts of each target. */
export async function measureStarts(targets: readonly Target[], folder: string): Promise<readonly Start[][]> {
  const measured = [];
  for (const target of targets) {
    const targetFolder = join(folder, `${target.name}-starts`);
    mkdirSync(targetFolder);
    const starts: Start[] = [];
    measured.push({ target, targetFolder, starts, database: await sqlite.createDatabase(targetFolder) });
  }
  for (let start = 1; start <= startCount; start++) {
    for (const { target, targetFolder, starts, database } of measured) {
      const service = await startTarget(target, database.url, targetFolder);
      await delay(idleMs);
      const { firstReplyMs } = service;
      const idleMemoryBytes = service.readMemory();
      await service.stop();
      starts.push({ firstReplyMs, idleMemoryBytes });
      log(
        `start ${start}/${startCount}, ${target.title}: ${firstReplyMs.toFixed(0)} ms, ${formatMemory(idleMemoryBytes)}`,
      );
    }
  }
  return measured.map(({ starts }) => starts);
}
