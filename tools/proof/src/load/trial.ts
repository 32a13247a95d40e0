import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../databases/database.js';
import { exportRows } from '../databases/export-rows.js';
import { issueToken } from '../service/run-command.js';
import { type LaunchedService, launchService } from '../service/start-service.js';
import { type Comparison, comparePlants } from './compare-plants.js';
import { Ledger } from './ledger.js';
import type { Random } from './random.js';
import { createPlantSource } from './random-plants.js';
import { type Load, type LoadOptions, startLoad } from './start-load.js';

/** Only a service that hangs takes this long, even on a busy machine. */
const timeoutMs = 120_000;
const pollMs = 1;

/** What a trial needs. */
export interface TrialOptions {
  readonly database: Database;
  readonly random: Random;
  /** The file that gets the output of the service. */
  readonly logFile: string;
  /** The settings of the service. */
  readonly settings: Readonly<Record<string, string>>;
}

/** One database, the services that are started on it one after the other, and what their callers know. */
export interface Trial {
  readonly database: Database;
  readonly random: Random;
  readonly ledger: Ledger;
  /** An access token of the database. */
  readonly token: string;
  /**
   * Starts a service on the database, and returns at once.
   *
   * @param output the file that gets its output instead, so that it may run beside another one
   */
  launch(output?: string): LaunchedService;
  /** Starts callers of a service. */
  load(
    service: { readonly baseUrl: string },
    options: Pick<LoadOptions, 'endsWithoutReply' | 'replyTimeoutMs' | 'pauseMs'>,
  ): Load;
  /**
   * Resolves once this many more creates and deletes were acknowledged, at the latest when the callers have ended or got a wrong reply.
   *
   * @throws {Error} with the replies so far, and the last lines of the service's output, if that takes too long
   */
  acknowledgements(count: number, load: Load): Promise<void>;
  /**
   * Compares the plants that were sent since the last call, while no request is in flight. The wrong replies since then are
   * among the failures, here and below.
   */
  compareLatest(): Promise<Comparison>;
  /** Compares all plants, while no request is in flight. */
  compareAll(): Promise<Comparison>;
  /** Compares what `plant-store export` prints, while no request is in flight. */
  compareExport(): Promise<Comparison>;
}

const connections = 16;

/** Runs a trial on a database, and ends its callers and services afterwards, however the trial ends. */
export async function withTrial<Result>(
  options: TrialOptions,
  run: (trial: Trial) => Promise<Result>,
): Promise<Result> {
  const ends: (() => Promise<void>)[] = [];
  const trial = await createTrial(options, (end) => ends.push(end));
  try {
    return await run(trial);
  } finally {
    await Promise.all(ends.map((end) => end()));
  }
}

/** Sets up a database with an access token. */
async function createTrial(
  { database, random, logFile, settings }: TrialOptions,
  addEnd: (end: () => Promise<void>) => void,
): Promise<Trial> {
  const token = await issueToken({ DATABASE_URL: database.url });
  const ledger = new Ledger();
  const createPlant = createPlantSource(random.fork());
  const withReplies = (comparison: Comparison): Comparison => ({
    ...comparison,
    failures: [...comparison.failures, ...ledger.failures.splice(0)],
  });
  return {
    database,
    random,
    ledger,
    token,
    launch(output = logFile) {
      const serviceSettings = { LOG_REQUESTS: 'errors', ...settings };
      const service = launchService({
        databaseUrl: database.url,
        logFile: output,
        settings: serviceSettings,
      });
      addEnd(service.killAll);
      return service;
    },
    load({ baseUrl }, options) {
      const created = { ledger, createPlant, connections, random: random.fork() };
      const load = startLoad({ ...options, ...created, baseUrl, token });
      addEnd(load.stop);
      return load;
    },
    async acknowledgements(count, load) {
      const enough = ledger.acknowledgements + count;
      let loadEnded = false;
      load.ended.then(() => {
        loadEnded = true;
      });
      const isEnough = () => ledger.acknowledgements >= enough || ledger.failures.length > 0;
      const describe = () => `${describeReplies(ledger)}\n${readFileSync(logFile, 'utf8').slice(-2_000)}`;
      await until(() => loadEnded || isEnough(), `${count} creates are acknowledged`, describe);
    },
    async compareLatest() {
      const ids = ledger.takeTouchedIds();
      return withReplies(comparePlants(ledger, await database.readRows(ids), ids));
    },
    compareAll: async () => withReplies(comparePlants(ledger, await database.readRows())),
    compareExport: async () => withReplies(comparePlants(ledger, await exportRows(database.url))),
  };
}

/** The replies to creates so far, for a message. */
function describeReplies(ledger: Ledger): string {
  const { acknowledgements, unavailable, rejected, missingReplies, refusedConnections } = ledger;
  return `So far: ${JSON.stringify({ acknowledgements, unavailable, rejected, missingReplies, refusedConnections })}`;
}

/**
 * Polls until a condition holds.
 *
 * @param describe returns what the error has besides
 * @throws {Error} that names what did not happen in time
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  what: string,
  describe = () => '',
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline)
      throw new Error(`It took more than ${timeoutMs / 1000} s until ${what}\n${describe()}`.trimEnd());
    await delay(pollMs);
  }
}
