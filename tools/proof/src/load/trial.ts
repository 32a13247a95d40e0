import { readFileSync } from 'node:fs';
import { type Client, createClient } from '@plant-store/client';
import { type Database, exportRows } from '../system/databases.js';
import { waitUntil } from '../system/programs.js';
import { issueToken, Service } from '../system/service.js';
import { type Comparison, compareRecords } from './compare-records.js';
import { compareStates } from './compare-states.js';
import { Ledger } from './ledger.js';
import type { Random } from './random.js';
import { createRecordSource } from './records.js';
import { type Load, type LoadOptions, startLoad } from './start-load.js';

export interface TrialOptions {
  readonly database: Database;
  readonly random: Random;
  /** The file for the output of the service. */
  readonly logFile: string;
  /** The settings of the service. */
  readonly settings: Readonly<Record<string, string>>;
}

const connections = 16;

/** Runs a trial on a database. Ends its callers and services afterward, even if the trial fails. */
export async function withTrial<Result>(
  options: TrialOptions,
  run: (trial: Trial) => Promise<Result>,
): Promise<Result> {
  const trial = new Trial(options, await issueToken({ DATABASE_URL: options.database.url }));
  try {
    return await run(trial);
  } finally {
    await trial.end();
  }
}

/** One database, the services that run on it, and what their callers know. */
export class Trial {
  readonly database: Database;
  readonly random: Random;
  readonly ledger = new Ledger();
  readonly createRecord: ReturnType<typeof createRecordSource>;
  private readonly cleanups: (() => Promise<void>)[] = [];
  /** The services that `runningService` has started, by instance number. */
  private readonly current: Service[] = [];

  constructor(
    private readonly options: TrialOptions,
    /** An access token of the database. */
    readonly token: string,
  ) {
    this.database = options.database;
    this.random = options.random;
    this.createRecord = createRecordSource(options.random.fork());
  }

  /**
   * Starts a service on the database. Does not wait until the service listens.
   *
   * @param logFile the file for the output. Concurrent services need different files
   */
  launch(logFile = this.options.logFile): Service {
    const settings = { LOG_REQUESTS: 'errors', ...this.options.settings };
    const service = new Service({ databaseUrl: this.database.url, logFile, settings });
    this.cleanups.push(() => service.killAll());
    return service;
  }

  /** Returns the running service of an instance. Starts it if there is none, or if it has ended. */
  async runningService(instance = 0): Promise<Service> {
    const { current } = this;
    const logFile = `${this.options.logFile}${instance || ''}`;
    if (current[instance]?.hasEnded() !== false) current[instance] = await this.launch(logFile).started;
    return current[instance];
  }

  /** Returns a client that calls the service of an instance, even after the service has restarted at another address. */
  createFollowingClient(instance = 0): Client {
    const { token, current } = this;
    const baseUrl = 'http://service';
    const fetchFromCurrent: typeof fetch = (url, init) =>
      fetch(String(url).replace(baseUrl, current[instance]?.baseUrl ?? baseUrl), init);
    return createClient({ baseUrl, token, fetch: fetchFromCurrent });
  }

  /** Starts a load on an instance. Resolves once a number of writes was acknowledged, by default a random number below 300. */
  async startLoad(
    options: Pick<LoadOptions, 'stopsOnLostReply' | 'replyTimeoutMs' | 'pauseMs'> = {},
    acknowledgements = this.random.below(300),
    instance = 0,
  ): Promise<Load> {
    const { ledger, token, createRecord } = this;
    const { baseUrl } = await this.runningService(instance);
    const caller = { ledger, token, createRecord, connections, baseUrl, random: this.random.fork() };
    const load = startLoad({ ...options, ...caller });
    this.cleanups.push(load.stop);
    await this.waitForAcknowledgements(acknowledgements, load);
    return load;
  }

  /**
   * Resolves once this many more writes were acknowledged, or once the callers have ended or got a wrong reply.
   *
   * @throws {Error} if that takes too long, with the previous counts of replies and the end of the service's output
   */
  async waitForAcknowledgements(count: number, load: Load, timeoutMs?: number): Promise<void> {
    const { ledger } = this;
    const { acknowledgements, unavailable, rejected, missingReplies, refusedConnections } = ledger;
    const before = { acknowledgements, unavailable, rejected, missingReplies, refusedConnections };
    let loadEnded = false;
    load.ended.then(() => {
      loadEnded = true;
    });
    const isEnough = () =>
      loadEnded || ledger.acknowledgements >= acknowledgements + count || ledger.failures.length > 0;
    const describe = () =>
      `Before: ${JSON.stringify(before)}\n${readFileSync(this.options.logFile, 'utf8').slice(-2_000)}`;
    await waitUntil(isEnough, `${count} writes are acknowledged`, { describe, timeoutMs });
  }

  /**
   * Compares the records of all resources in the database and their history, or the output of `plant-store export`, with the ledger. No
   * request may be in flight. The failures include the wrong replies since the last call.
   */
  async compare(from: 'database' | 'export' = 'database'): Promise<Comparison> {
    const rows = await (from === 'export' ? exportRows(this.database.url) : this.database.readRows());
    const { counts, failures } = compareRecords(this.ledger, rows);
    // An export has no history.
    const stateFailures =
      from === 'export' ? [] : compareStates(this.ledger, rows, await this.database.readStates());
    return { counts, failures: [...failures, ...stateFailures, ...this.ledger.failures.splice(0)] };
  }

  /** Ends all callers and services. */
  async end(): Promise<void> {
    await Promise.all(this.cleanups.map((cleanUp) => cleanUp()));
  }
}
