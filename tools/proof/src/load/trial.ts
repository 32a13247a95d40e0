import { readFileSync } from 'node:fs';
import { type Database, exportRows } from '../system/databases.js';
import { until } from '../system/programs.js';
import { issueToken, Service } from '../system/service.js';
import { type Comparison, compareRecords } from './compare-records.js';
import { compareStates } from './compare-states.js';
import { Ledger } from './ledger.js';
import type { Random } from './random.js';
import { createRecordSource } from './records.js';
import { type Load, type LoadOptions, startLoad } from './start-load.js';

/** What a trial needs. */
export interface TrialOptions {
  readonly database: Database;
  readonly random: Random;
  /** The file that gets the output of the service. */
  readonly logFile: string;
  /** The settings of the service. */
  readonly settings: Readonly<Record<string, string>>;
}

const connections = 16;

/** Runs a trial on a database, and ends its callers and services afterwards, however the trial ends. */
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

/** One database, the services that are started on it in sequence, and what their callers know. */
export class Trial {
  readonly database: Database;
  readonly random: Random;
  readonly ledger = new Ledger();
  readonly createRecord: ReturnType<typeof createRecordSource>;
  private readonly ends: (() => Promise<void>)[] = [];
  /** The services of `service`, by the numbers of their instances. */
  readonly current: Service[] = [];

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
   * Starts a service on the database, and returns at once.
   *
   * @param logFile the file for its output; concurrent services need different files
   */
  launch(logFile = this.options.logFile): Service {
    const settings = { LOG_REQUESTS: 'errors', ...this.options.settings };
    const service = new Service({ databaseUrl: this.database.url, logFile, settings });
    this.ends.push(() => service.killAll());
    return service;
  }

  /** The service that this method last started as this instance, or a new one if it has ended. */
  async service(instance = 0): Promise<Service> {
    const { current } = this;
    const logFile = `${this.options.logFile}${instance || ''}`;
    if (current[instance]?.hasEnded() !== false) current[instance] = await this.launch(logFile).started;
    return current[instance];
  }

  /** Starts callers of that service, and resolves once up to 300 changes were acknowledged. */
  async load(
    options: Pick<LoadOptions, 'endsWithoutReply' | 'replyTimeoutMs' | 'pauseMs'> = {},
    acknowledgements = this.random.below(300),
    instance = 0,
  ): Promise<Load> {
    const { ledger, token, createRecord } = this;
    const { baseUrl } = await this.service(instance);
    const caller = { ledger, token, createRecord, connections, baseUrl, random: this.random.fork() };
    const load = startLoad({ ...options, ...caller });
    this.ends.push(load.stop);
    await this.acknowledgements(acknowledgements, load);
    return load;
  }

  /**
   * Resolves once this many more changes were acknowledged, at the latest when the callers have ended or got a wrong reply.
   *
   * @throws {Error} with the replies before, and the last lines of the service's output, if that takes too long
   */
  async acknowledgements(count: number, load: Load, timeoutMs?: number): Promise<void> {
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
    await until(isEnough, `${count} changes are acknowledged`, { describe, timeoutMs });
  }

  /**
   * Compares the records of all resources and their history, while no request is in flight: those in the database, or those that
   * `plant-store export` prints. The wrong replies since the last call are among the failures.
   */
  async compare(from: 'database' | 'export' = 'database'): Promise<Comparison> {
    const rows = await (from === 'export' ? exportRows(this.database.url) : this.database.readRows());
    const { counts, failures } = compareRecords(this.ledger, rows);
    // An export has no history.
    const ofStates =
      from === 'export' ? [] : compareStates(this.ledger, rows, await this.database.readStates());
    return { counts, failures: [...failures, ...ofStates, ...this.ledger.failures.splice(0)] };
  }

  /** Ends all callers and services. */
  async end(): Promise<void> {
    await Promise.all(this.ends.map((end) => end()));
  }
}
