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

const count = 10;
const idleMs = 2_000;

/** The measurements of a start, in milliseconds and bytes. */
export interface Start {
  readonly firstReplyMs: number;
  readonly idleMemoryBytes: number;
}

/** Measures starts of the service on a migrated database, prints the medians and writes the results. */
export async function measureStart(folder: string): Promise<boolean> {
  const machine = describeMachine(folder);
  const [starts = []] = await measureStarts([plantStore()], folder);
  const results = { machine, ...medians(starts, 'firstReplyMs', 'idleMemoryBytes'), starts };
  writeJson(resultPath('start'), results);
  process.stdout.write(
    `From the start of the process to the first reply with 200: ${results.firstReplyMs.toFixed(0)} ms\n` +
      `Memory when idle: ${formatMemory(results.idleMemoryBytes)}\n` +
      `Medians of ${count} starts. ${machineLine(machine)}\n`,
  );
  return true;
}

/** Starts targets on migrated databases, one after the other, several times; returns the starts of each. */
export async function measureStarts(targets: readonly Target[], folder: string): Promise<readonly Start[][]> {
  const measured = [];
  for (const target of targets) {
    const own = join(folder, `${target.name}-starts`);
    mkdirSync(own);
    const starts: Start[] = [];
    measured.push({ target, own, starts, database: await sqlite.createDatabase(own) });
  }
  for (let start = 1; start <= count; start++) {
    for (const { target, own, starts, database } of measured) {
      const service = await startTarget(target, database.url, own);
      await delay(idleMs);
      const { firstReplyMs } = service;
      const idleMemoryBytes = service.readMemory();
      await service.stop();
      starts.push({ firstReplyMs, idleMemoryBytes });
      log(
        `start ${start}/${count}, ${target.title}: ${firstReplyMs.toFixed(0)} ms, ${formatMemory(idleMemoryBytes)}`,
      );
    }
  }
  return measured.map(({ starts }) => starts);
}
