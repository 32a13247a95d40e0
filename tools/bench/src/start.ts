import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { sqlite } from './databases.js';
import { describeMachine, machineLine } from './machine.js';
import { log } from './measure-targets.js';
import { formatMemory, medians, writeJson } from './report.js';
import { resultPath } from './results.js';
import { startTarget } from './start-target.js';
import { plantStore } from './targets.js';

const count = 10;
const idleMs = 2_000;

/** Measures starts of the service on a migrated database, prints the medians and writes the results. */
export async function measureStart(folder: string): Promise<boolean> {
  const machine = describeMachine(folder);
  const database = await sqlite.createDatabase(folder);
  const starts: { firstReplyMs: number; idleMemoryBytes: number }[] = [];
  for (let start = 1; start <= count; start++) {
    const service = await startTarget(plantStore(), database.url, folder);
    await delay(idleMs);
    const { firstReplyMs } = service;
    const idleMemoryBytes = service.readMemory('now');
    await service.stop();
    starts.push({ firstReplyMs, idleMemoryBytes });
    log(`start ${start}/${count}: ${firstReplyMs.toFixed(0)} ms, ${formatMemory(idleMemoryBytes)}`);
  }
  const results = { machine, ...medians(starts, 'firstReplyMs', 'idleMemoryBytes'), starts };
  writeJson(resultPath('start'), results);
  process.stdout.write(
    `From the start of the process to the first reply with 200: ${results.firstReplyMs.toFixed(0)} ms\n` +
      `Memory when idle: ${formatMemory(results.idleMemoryBytes)}\n` +
      `Medians of ${count} starts. ${machineLine(machine)}\n`,
  );
  return true;
}
