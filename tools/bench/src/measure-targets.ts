import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import type { Engine } from './databases.js';
import { countOf, formatFigure } from './report.js';
import { type Load, type LoadResult, sendLoad, storeRecords } from './send-load.js';
import { type RunningTarget, startTarget } from './start-target.js';
import type { Target } from './targets.js';

export interface Settings {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmupSeconds: number;
  /** How many connections the warm-up uses. Default: as many as the load. */
  readonly warmupConnections?: number;
}

/** The result of one round of one target, and the state of the target after all rounds. */
export interface Run extends LoadResult {
  readonly target: string;
  readonly operation: Load['operation'];
  readonly connections: number;
  readonly round: number;
  readonly peakMemoryBytes: number;
  /**
   * Whether every acknowledged record is stored, and every acknowledged delete was carried out. Always `true` for the baseline, which
   * stores nothing.
   */
  readonly valid: boolean;
}

/** Logs progress to standard error. */
export const log = (text: string) => void process.stderr.write(`${text}\n`);

/**
 * Sends a load to targets, each in a separate process with a new database. All run at the same time, but only one is under load. Each round
 * covers all targets, so that other activity on the machine affects them equally.
 *
 * @param onWarm called for each target after its warm-up
 */
export async function measureTargets(
  targets: readonly Target[],
  engine: Engine,
  parent: string,
  load: Omit<Load, 'seconds'>,
  { rounds, seconds, warmupSeconds, warmupConnections = load.connections }: Settings,
  onWarm: (target: RunningTarget) => void = () => undefined,
): Promise<Run[]> {
  const { resource, ...shown } = load;
  const { records = 0 } = load;
  const started = [];
  for (const target of targets) {
    const folder = join(parent, target.name);
    mkdirSync(folder);
    const database = await engine.createDatabase(folder);
    const running = await startTarget(target, database.url, folder, resource);
    await storeRecords(running, records, resource);
    const warmup = { ...load, connections: warmupConnections, seconds: warmupSeconds };
    started.push({ target, folder, database, running, results: [await sendLoad(running, warmup)] });
    onWarm(running);
  }
  for (let round = 1; round <= rounds; round++) {
    for (const { target, running, results } of started) {
      const result = await sendLoad(running, { ...load, seconds }, -addedRecords(results));
      results.push(result);
      log(
        `${load.operation}, ${countOf(load.connections, 'connection')}, round ${round}/${rounds}, ${target.title}: ` +
          `${formatFigure(result.requestsPerSecond)} requests/s, p99 ${formatFigure(result.p99Ms)} ms`,
      );
    }
  }
  const runs: Run[] = [];
  for (const { target, folder, database, running, results } of started) {
    const peakMemoryBytes = running.readPeakMemory();
    await running.stop();
    const expected = records + addedRecords(results);
    const valid =
      !target.has.includes('storage') ||
      isValid(load, await database.countRecords(resource, target.stored), expected);
    rmSync(folder, { recursive: true });
    const [warmup, ...measured] = results;
    for (const [index, result] of measured.entries()) {
      // Errors of the warm-up count in the first round.
      const errors = result.errors + (index === 0 ? (warmup?.errors ?? 0) : 0);
      const round = { target: target.name, ...shown, round: index + 1, ...result, errors };
      runs.push({ ...round, peakMemoryBytes, valid });
    }
  }
  return runs;
}

/** Returns by how much the number of stored records must have grown. Negative after deletes. */
const addedRecords = (results: readonly LoadResult[]) =>
  results.reduce((sum, { acknowledged }) => sum + acknowledged, 0);

/** Compares the number of stored records with the expected one. Requests without a reply might have been carried out, too. */
function isValid({ operation }: Pick<Load, 'operation'>, stored: number, expected: number): boolean {
  // `startTarget` stored one more record.
  return operation === 'delete' ? stored <= expected + 1 : stored >= expected;
}
