import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  countOf,
  formatCount,
  formatMs,
  formatRatio,
  formatTable,
  median,
  writeJson,
} from '@plant-store/report';
import type { DatabaseEngine } from '../databases/database.js';
import { sqlite } from '../databases/sqlite.js';
import { startPostgresql } from '../databases/start-postgresql.js';
import type { Environment } from '../environment/environment.js';
import { describeMachine, machineLine } from '../environment/machine.js';
import { driveLoad } from '../load/drive-load.js';
import { batchPlants, type Load, type LoadResult, storedPlants } from '../load/load.js';
import { storePlants } from '../load/store-plants.js';
import { resultFiles } from '../paths.js';
import { startTarget } from '../processes/start-target.js';
import { allTargets, postgresqlTargets } from '../targets/all-targets.js';
import type { Target } from '../targets/target.js';

/** How long and how often to measure. */
export interface OperationsSettings {
  readonly rounds: number;
  readonly seconds: number;
  readonly warmupSeconds: number;
}

/** What is measured: an operation at a number of connections, and how many plants one reply stands for. */
const measured = [
  { operation: 'get', connections: 64, title: 'GET /plants/{id}, plants/s', plants: 1 },
  { operation: 'list', connections: 16, title: 'GET /plants?limit=100, pages/s', plants: 1 },
  { operation: 'batch', connections: 4, title: `batches of ${batchPlants}, plants/s`, plants: batchPlants },
] as const satisfies readonly {
  operation: Load['operation'];
  connections: number;
  title: string;
  plants: number;
}[];

interface Run extends LoadResult {
  readonly operation: (typeof measured)[number]['operation'];
  readonly target: string;
  readonly perSecond: number;
}

/** The targets that can read and store batches; on PostgreSQL those of them that support it. */
const targetNames = ['plant-store', 'express-prisma', 'fastify-sqlite'];

/** Measures reads and batches beside other targets, prints a table and writes the results. */
export async function compareOperations(
  settings: OperationsSettings,
  environment: Environment,
  onPostgresql: boolean,
): Promise<void> {
  const supported = onPostgresql ? postgresqlTargets : allTargets;
  const targets = supported.filter(({ name }) => targetNames.includes(name));
  if (!onPostgresql) {
    return measureOperations(targets, sqlite, settings, environment, resultFiles.operations);
  }
  const server = await startPostgresql(environment.folder);
  await measureOperations(targets, server, settings, environment, resultFiles.operationsPostgresql);
  await server.stop();
}

/**
 * Measures the targets, each with the same plants stored before. They run at the same time, but only one is under load: in each
 * round they alternate.
 */
async function measureOperations(
  targets: readonly Target[],
  engine: DatabaseEngine,
  settings: OperationsSettings,
  environment: Environment,
  resultFile: string,
): Promise<void> {
  const machine = await describeMachine(environment.folder);
  const started = [];
  for (const target of targets) {
    const folder = join(environment.folder, target.name);
    mkdirSync(folder);
    const database = await engine.createDatabase(folder);
    const running = await startTarget(target, database, folder);
    environment.log(`storing ${formatCount(storedPlants)} plants: ${target.title}`);
    await storePlants(running, storedPlants);
    started.push({ target, folder, database, running });
  }

  const runs: Run[] = [];
  for (const { operation, connections, plants } of measured) {
    for (let round = 0; round <= settings.rounds; round++) {
      for (const { target, running } of started) {
        const { baseUrl, token } = running;
        // The first round warms up.
        const seconds = round === 0 ? settings.warmupSeconds : settings.seconds;
        const result = await driveLoad({
          baseUrl,
          token,
          connections,
          operation,
          warmupSeconds: 0.5,
          seconds,
        });
        if (result.errors > 0) throw new Error(`${target.title}: ${JSON.stringify(result.errorCounts)}`);
        if (round === 0) continue;
        const run = {
          operation,
          target: target.name,
          perSecond: result.requestsPerSecond * plants,
          ...result,
        };
        runs.push(run);
        environment.log(
          `${operation}, round ${round}/${settings.rounds}, ${target.title}: ${formatCount(run.perSecond)}/s`,
        );
      }
    }
  }
  for (const { folder, database, running } of started) {
    await running.stop();
    await database.remove();
    rmSync(folder, { recursive: true });
  }
  writeJson(resultFile, { machine, settings, database: engine.title, runs });
  environment.print(`${operationsTable(targets, runs, settings)}\n${machineLine(machine)}\n`);
}

function operationsTable(
  targets: readonly Target[],
  runs: readonly Run[],
  { rounds, seconds }: OperationsSettings,
): string {
  const rows = measured.flatMap(({ operation, connections, title }) => {
    const medianOf = (name: string, value: (run: Run) => number) =>
      median(runs.filter((run) => run.operation === operation && run.target === name).map(value));
    const own = medianOf(targets[0]?.name ?? '', (run) => run.perSecond);
    return targets.map(({ name, title: target }) => {
      const perSecond = medianOf(name, (run) => run.perSecond);
      return [
        ...[title, connections, target, Math.round(perSecond)],
        ...[formatMs(medianOf(name, (run) => run.p99Ms)), formatRatio(own / perSecond)],
      ];
    });
  });
  const head = ['operation', 'connections', 'target', 'per second', 'p99 ms', `of ${targets[0]?.title}`];
  return `${formatTable(head, rows)}\n\nMedians of ${countOf(rounds, 'round')} of ${seconds} s each.`;
}
