import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { countOf, formatRatio, formatTable } from '@plant-store/report';
import { sqliteIn } from '../databases/sqlite.js';
import type { Environment } from '../environment/environment.js';
import { describeMachine, machineLine } from '../environment/machine.js';
import { driveLoad } from '../load/drive-load.js';
import { type RunningTarget, startTarget } from '../processes/start-target.js';
import { plantStore } from '../targets/plant-store.js';
import { withEnvironment } from '../targets/with-environment.js';
import { type Round, summarizeRounds } from './summarize-rounds.js';

const connections = 64;
const warmupSeconds = 3;
const rampUpSeconds = 0.1;

// Without a load balancer there is nothing to drain.
const metrics = { ADMIN_PORT: '0', DRAIN_DELAY_MS: '0' };

/** The settings to compare; all others are compared with the first. */
const settings: readonly {
  readonly title: string;
  readonly environment: Readonly<Record<string, string>>;
}[] = [
  { title: 'neither', environment: { LOG_REQUESTS: 'errors' } },
  { title: 'metrics', environment: { LOG_REQUESTS: 'errors', ...metrics } },
  { title: 'request log', environment: {} },
  { title: 'metrics and request log', environment: metrics },
];

/** How often to start all services, how often to measure each of them then, and for how long each time. */
export interface ObservabilitySettings {
  readonly starts: number;
  readonly rounds: number;
  readonly seconds: number;
}

/**
 * Measures what metrics and the request log cost: the processor time of a create with and without them. All services run
 * at the same time, and in each round the load is on one after the other. They are started more than once, since two
 * processes of one program differ by more than what is measured. Prints a table.
 *
 * @throws {Error} when a create fails, or processor time cannot be read
 */
export async function measureObservability(
  { starts, rounds, seconds }: ObservabilitySettings,
  { folder, print, log }: Environment,
): Promise<void> {
  const results: Round[] = [];
  for (let start = 1; start <= starts; start++) {
    const services = await startServices(join(folder, `start-${start}`));
    for (let round = 1; round <= rounds; round++) {
      const times = await runRound(services, seconds, round);
      results.push(times);
      const figures = times.map((time) => time.toFixed(1)).join(', ');
      log(`start ${start}/${starts}, round ${round}/${rounds}: ${figures} µs per create`);
    }
    for (const { stop } of services) await stop();
  }
  const rows = summarizeRounds(results).map(({ microseconds, ratio }, index) => [
    settings[index]?.title ?? '',
    microseconds.toFixed(1),
    formatRatio(ratio),
  ]);
  const machine = machineLine(await describeMachine(folder));
  print(
    `Plant Store, ${connections} connections\n\n${formatTable(['with', 'µs per create', 'ratio'], rows)}\n\n` +
      `Medians of ${countOf(starts * rounds, 'round')} of ${seconds} s each, in ${countOf(starts, 'start')}. ${machine}\n`,
  );
}

/** Starts a service with each of the settings, and warms it up. */
async function startServices(folder: string): Promise<RunningTarget[]> {
  mkdirSync(folder);
  const services: RunningTarget[] = [];
  for (const { title, environment } of settings) {
    const service = await startService(environment, join(folder, title));
    await measureCreate(service, warmupSeconds);
    services.push(service);
  }
  return services;
}

async function startService(
  environment: Readonly<Record<string, string>>,
  folder: string,
): Promise<RunningTarget> {
  mkdirSync(folder);
  return startTarget(withEnvironment(plantStore, environment), sqliteIn(folder), folder);
}

/** Measures each service once. Each round begins with another one, so that none always runs after the same time. */
async function runRound(services: readonly RunningTarget[], seconds: number, round: number): Promise<Round> {
  const times = services.map(() => Number.NaN);
  for (let turn = 0; turn < services.length; turn++) {
    const index = (turn + round) % services.length;
    const service = services[index];
    if (service !== undefined) times[index] = await measureCreate(service, seconds);
  }
  return times;
}

/** Sends creates for some seconds, and returns the processor time that the service took for each, in microseconds. */
async function measureCreate(service: RunningTarget, seconds: number): Promise<number> {
  const { baseUrl, token, readProcessorTime } = service;
  const before = await readProcessorTime();
  const load = { baseUrl, token, connections, warmupSeconds: rampUpSeconds, seconds };
  const { acknowledged, errors, errorCounts } = await driveLoad(load);
  if (errors > 0) throw new Error(`Creates failed: ${JSON.stringify(errorCounts)}`);
  return ((await readProcessorTime()) - before) / acknowledged;
}
