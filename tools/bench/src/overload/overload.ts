import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { formatCount, formatMs, formatRatio, formatTable } from '@plant-store/report';
import { sqliteIn } from '../databases/sqlite.js';
import type { Environment } from '../environment/environment.js';
import { describeMachine, machineLine } from '../environment/machine.js';
import { runProgram } from '../processes/run-program.js';
import { startTarget } from '../processes/start-target.js';
import { plantStore } from '../targets/plant-store.js';
import { withEnvironment } from '../targets/with-environment.js';
import { type OverloadResult, OverloadResultSchema } from './overload-load.js';
import { summarizeOverload } from './summarize-overload.js';

const generator = fileURLToPath(new URL('../../dist/overload/generate-overload.js', import.meta.url));

const warmupSeconds = 3;
const retryMs = 20;
const timeoutMs = 60_000;

/** The limit of the queue, in plants, and the numbers of connections. */
const waitingPlants = 200;
const usualConnections = 64;
const manyConnections = 1_000;

/** How often to measure both numbers of connections, alternately, and for how long each time. */
export interface OverloadSettings {
  readonly rounds: number;
  readonly seconds: number;
}

/**
 * Measures the service when more connections send plants than its queue may hold, and prints a table.
 *
 * @returns whether every request was stored or rejected
 */
export async function measureOverload(
  settings: OverloadSettings,
  environment: Environment,
): Promise<boolean> {
  const usual: OverloadResult[] = [];
  const many: OverloadResult[] = [];
  for (let round = 1; round <= settings.rounds; round++) {
    usual.push(await runOnce(usualConnections, round, settings, environment));
    many.push(await runOnce(manyConnections, round, settings, environment));
  }
  const ofUsual = summarizeOverload(usual);
  const summaries = [
    { connections: usualConnections, ...ofUsual },
    { connections: manyConnections, ...summarizeOverload(many) },
  ];
  const rows = summaries.map((summary) => [
    summary.connections,
    summary.storedPerSecond,
    summary.rejectedPerSecond,
    formatMs(summary.firstReplyMs),
    formatRatio(summary.storedPerSecond / ofUsual.storedPerSecond),
    summary.failed,
  ]);
  const head = ['connections', 'stored/s', 'rejected/s', 'first reply ms', 'ratio', 'failed'];
  environment.print(
    `QUEUE_MAX_PLANTS=${waitingPlants}, retries after ${retryMs} ms\n\n${formatTable(head, rows)}\n\n` +
      `${machineLine(await describeMachine(environment.folder))}\n`,
  );
  return summaries.every(({ failed }) => failed === 0);
}

async function runOnce(
  connections: number,
  round: number,
  { rounds, seconds }: OverloadSettings,
  { folder, log }: Environment,
): Promise<OverloadResult> {
  const own = join(folder, `${connections}-${round}`);
  mkdirSync(own);
  const limited = withEnvironment(plantStore, { QUEUE_MAX_PLANTS: String(waitingPlants) });
  const { baseUrl, token, stop } = await startTarget(limited, sqliteIn(own), own);
  const load = { baseUrl, token, connections, retryMs, warmupSeconds, seconds };
  const result = OverloadResultSchema.parse(
    JSON.parse(await runProgram(process.execPath, [generator, JSON.stringify(load)], { timeoutMs })),
  );
  await stop();
  log(
    `round ${round}/${rounds}, ${connections} connections: ${formatCount(result.storedPerSecond)} stored/s, ` +
      `${formatCount(result.rejectedPerSecond)} rejected/s, first reply ${formatMs(result.firstReplyMs)} ms, ` +
      `${formatCount(result.failed)} failed`,
  );
  return result;
}
