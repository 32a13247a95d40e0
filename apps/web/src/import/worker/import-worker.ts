import type { Command, Preview, Report } from '../protocol.js';
import { type CheckedPlants, checkPlants } from './check/check-plants.js';
import type { Reading } from './check/read-plants.js';
import { chooseReading } from './columns/choose-reading.js';
import { describePreview } from './describe-preview.js';
import { writeRejected } from './download/write-rejected.js';
import { listRows } from './list-rows.js';
import { createPacer, type Pacer } from './pacer.js';
import { UnreadableFileError } from './reading/decode-text.js';
import { PlantsRun } from './run/plants-run.js';
import type { Target } from './run/send-plant.js';
import { readTable, type Table } from './table.js';

/** What was read last. */
interface Loaded {
  readonly table: Table;
  readonly reading: Reading;
  readonly plants: CheckedPlants;
}

/** At most this often is progress reported. */
const progressMs = 100;
/** While a run sends, progress is reported after this much time without a change, too. */
const idleMs = 900;

/** The work on one file at a time, from reading to storing: takes commands, and reports by a callback. */
export class ImportWorker {
  readonly #report: (report: Report) => void;
  readonly #connection: Pick<Target, 'fetch' | 'retries'>;
  readonly #sliceMs: number | undefined;
  #work = new AbortController();
  #table: Table | undefined;
  #loaded: Loaded | undefined;
  #run: PlantsRun | undefined;
  #progressTimer: ReturnType<typeof setTimeout> | undefined;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param connection how plants are sent, for tests
   * @param sliceMs how long work goes on before it gives way, for tests
   */
  constructor(
    report: (report: Report) => void,
    connection: Pick<Target, 'fetch' | 'retries'> = {},
    sliceMs?: number,
  ) {
    this.#report = report;
    this.#connection = connection;
    this.#sliceMs = sliceMs;
  }

  async handle(command: Command): Promise<void> {
    switch (command.type) {
      case 'read':
        return await this.#read(command);
      case 'choose':
        return await this.#choose(command);
      case 'list':
        return this.#list(command);
      case 'start':
      case 'resume':
        return this.#start(command);
      case 'pause':
        return this.#run?.pause();
      case 'cancel':
        return this.#run?.cancel();
      case 'forget-token':
        return this.#run?.forgetToken();
      case 'download':
        return await this.#download();
    }
  }

  async #read({ source }: Command & { type: 'read' }): Promise<void> {
    this.#table = undefined;
    this.#discard();
    await this.#workOn(async () => {
      this.#table = await readTable(source, this.#createPacer('read'));
      await this.#check(this.#table, chooseReading(this.#table));
    });
  }

  async #choose({ hasHeader, columns }: Command & { type: 'choose' }): Promise<void> {
    const table = this.#table;
    if (table === undefined || this.#run !== undefined) return;
    this.#discard();
    await this.#workOn(() => this.#check(table, chooseReading(table, hasHeader, columns)));
  }

  async #check(table: Table, reading: Reading): Promise<void> {
    const plants = await checkPlants(table, reading, this.#createPacer('check'));
    this.#loaded = { table, reading, plants };
    const list = listRows(table, reading, plants, 'all', 0);
    const preview: Preview = { ...describePreview(table, reading, plants), list };
    this.#report({ type: 'checked', preview });
  }

  #list({ filter, offset }: Command & { type: 'list' }): void {
    if (this.#loaded === undefined) return;
    const { table, reading, plants } = this.#loaded;
    this.#report({ type: 'list', list: listRows(table, reading, plants, filter, offset) });
  }

  #start({ baseUrl, token }: Target): void {
    if (this.#loaded === undefined) return;
    const { table, reading, plants } = this.#loaded;
    this.#run ??= new PlantsRun(table, reading, plants, () => this.#scheduleProgress());
    this.#run.resume({ ...this.#connection, baseUrl, token });
    // One that has ended meanwhile does not change, and its last report came before this command.
    this.#scheduleProgress();
  }

  async #download(): Promise<void> {
    if (this.#loaded === undefined) return;
    const { table, reading, plants } = this.#loaded;
    const pacer = createPacer(this.#work.signal, () => undefined, this.#sliceMs);
    await this.#workOn(async () => {
      this.#report({ type: 'download', ...(await writeRejected(table, reading, plants.problems, pacer)) });
    });
  }

  #scheduleProgress(): void {
    this.#progressTimer ??= setTimeout(() => {
      this.#progressTimer = undefined;
      if (this.#run !== undefined) this.#reportProgress(this.#run);
    }, progressMs);
  }

  #reportProgress(run: PlantsRun): void {
    const progress = run.measure();
    this.#report({ type: 'progress', progress });
    clearTimeout(this.#idleTimer);
    // While nothing is answered, nothing changes but the rate and the time left.
    if (progress.state === 'running') this.#idleTimer = setTimeout(() => this.#scheduleProgress(), idleMs);
  }

  /** Ends what is being read, checked or stored. */
  #discard(): void {
    this.#work.abort();
    this.#work = new AbortController();
    this.#run?.cancel();
    this.#run = undefined;
    this.#loaded = undefined;
  }

  #createPacer(step: 'read' | 'check'): Pacer {
    const report = (fraction: number) => this.#report({ type: 'reading', step, fraction });
    return createPacer(this.#work.signal, report, this.#sliceMs);
  }

  /** Does work that a later command ends; what the person can do something about is reported. */
  async #workOn(work: () => Promise<void>): Promise<void> {
    const { signal } = this.#work;
    try {
      await work();
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof UnreadableFileError)) throw error;
      this.#report({ type: 'unreadable', message: error.message });
    }
  }
}
