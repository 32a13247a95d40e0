import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { plantStore } from './contestants/plant-store.js';
import { sqliteIn } from './databases/sqlite.js';
import { formatCount, formatMs, formatRatio } from './format-figures.js';
import { formatTable } from './format-table.js';
import { describeMachine, machineLine } from './machine.js';
import { median } from './median.js';
import { type OverloadResult, OverloadResultSchema } from './overload-load.js';
import { runProgram } from './run-program.js';
import { startContestant } from './start-contestant.js';
import type { Surroundings } from './surroundings.js';

const generator = fileURLToPath(new URL('../dist/generate-overload.js', import.meta.url));

const warmupSeconds = 3;
const retryMs = 20;
const timeoutMs = 60_000;

/** How much may wait, in plants, and by how many connections the service is driven. */
const waitingPlants = 200;
const usualConnections = 64;
const manyConnections = 1_000;

/** How often both numbers of connections are measured, alternately, and for how long each time. */
export interface OverloadSettings {
  readonly rounds: number;
  readonly seconds: number;
}

/** Measures what the service stores when far more connections retry than may wait, and prints a table. */
export async function overload(settings: OverloadSettings, surroundings: Surroundings): Promise<void> {
  const usual: OverloadResult[] = [];
  const many: OverloadResult[] = [];
  for (let round = 1; round <= settings.rounds; round++) {
    usual.push(await runOnce(usualConnections, round, settings, surroundings));
    many.push(await runOnce(manyConnections, round, settings, surroundings));
  }
  const storedOf = (results: OverloadResult[]) =>
    median(results.map(({ storedPerSecond }) => storedPerSecond));
  const rows = [usual, many].map((results, index) => [
    formatCount(index === 0 ? usualConnections : manyConnections),
    formatCount(storedOf(results)),
    formatCount(median(results.map(({ refusedPerSecond }) => refusedPerSecond))),
    formatMs(median(results.map(({ firstReplyMs }) => firstReplyMs))),
    formatRatio(storedOf(results) / storedOf(usual)),
  ]);
  const head = ['connections', 'stored/s', 'refused/s', 'first reply ms', 'ratio'];
  surroundings.print(
    `WAITING_PLANTS_LIMIT=${waitingPlants}, retries after ${retryMs} ms\n\n${formatTable(head, rows)}\n\n` +
      `${machineLine(await describeMachine(surroundings.folder))}\n`,
  );
}

async function runOnce(
  connections: number,
  round: number,
  { rounds, seconds }: OverloadSettings,
  { folder, remark }: Surroundings,
): Promise<OverloadResult> {
  const own = join(folder, `${connections}-${round}`);
  mkdirSync(own);
  const limited = {
    ...plantStore,
    async prepare(url: string) {
      const launch = await plantStore.prepare(url);
      const environment = { ...launch.environment, WAITING_PLANTS_LIMIT: String(waitingPlants) };
      return { ...launch, environment };
    },
  };
  const { baseUrl, token, stop } = await startContestant(limited, sqliteIn(own), own);
  const load = { baseUrl, token, connections, retryMs, warmupSeconds, seconds };
  const result = OverloadResultSchema.parse(
    JSON.parse(await runProgram(generator, [JSON.stringify(load)], { timeoutMs })),
  );
  await stop();
  remark(
    `round ${round}/${rounds}, ${connections} connections: ${formatCount(result.storedPerSecond)} stored/s, ` +
      `${formatCount(result.refusedPerSecond)} refused/s, first reply ${formatMs(result.firstReplyMs)} ms`,
  );
  return result;
}
