import '../../shared/avoid-eval.js';
import { type Client, countTags, listAll } from '@plant-store/client';
import { formatCount, formatCountOf } from '../format-count.js';
import type {
  Change,
  ColumnChoice,
  Preview,
  ReadAs,
  Report,
  Request,
  Requests,
  Source,
  StopReason,
  Target,
  Task,
  View,
} from '../protocol.js';
import {
  chooseLayout,
  describeColumns,
  hasClearColumns,
  type TableLayout,
} from './columns/recognize-columns.js';
import { Lines, type NamedPlant } from './lines.js';
import { UnreadableFileError } from './read/file-kinds.js';
import { readSource, type Table } from './read/read-source.js';
import { type Connection, connect, findStored, noToken, Run, toStopReason } from './run.js';
import { writeProblems } from './write-problems.js';

/** The minimum interval between a run's progress reports. */
const progressIntervalMs = 200;

/** How many lines a comparison handles between progress reports. */
const comparisonsPerReport = 1_000;

/** The maximum number of stored names to compare with the lines. The newest plants come first. */
const maxComparedNames = 10_000;

/** Handles the page's requests, and reports through a callback. Processes one file at a time, from reading to storing. */
export class ImportWorker implements Requests {
  readonly #report: (report: Report) => void;
  readonly #connection: Connection;
  /** Aborts the work on the current lines. */
  #work = new AbortController();
  #table: Table | undefined;
  #lines: Lines | undefined;
  #run: Run | undefined;
  #target: Target | undefined;
  /** Aborts the comparison of lines with stored plants. */
  #comparison = new AbortController();
  /** Why the last comparison failed, if it did. */
  #comparisonFailure: StopReason | undefined;
  #areNamesTruncated = false;
  #progressTimer: ReturnType<typeof setTimeout> | undefined;

  /** @param connection replaced in tests */
  constructor(report: (report: Report) => void, connection: Connection = {}) {
    this.#report = report;
    this.#connection = connection;
  }

  /** Calls the method that the request names. */
  async handle([name, ...args]: Request): Promise<void> {
    await (this[name] as (...args: readonly unknown[]) => unknown).apply(this, args);
  }

  async read(source: Source, readAs: ReadAs): Promise<void> {
    this.#table = undefined;
    this.#discard();
    const { signal } = this.#work;
    let table: Table;
    try {
      table = await readSource(source, readAs);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof UnreadableFileError)) throw error;
      this.#show({ step: 'source', problem: error.message });
      return;
    }
    if (signal.aborted) return;
    this.#table = table;
    const layout = chooseLayout(table);
    const preview = toPreview(table, layout);
    const isClear = hasClearColumns(preview);
    this.#show({ step: isClear ? 'reading' : 'columns', preview });
    if (isClear) await this.#check(table, layout);
  }

  recognize(header: number | undefined): void {
    const table = this.#table;
    if (table !== undefined)
      this.#show({ step: 'columns', preview: toPreview(table, chooseLayout(table, { header })) });
  }

  async check(header: number | undefined, columns: ColumnChoice): Promise<void> {
    if (this.#table !== undefined)
      await this.#check(this.#table, chooseLayout(this.#table, { header, columns }));
  }

  async compare(): Promise<void> {
    const [lines, target] = [this.#lines, this.#target];
    if (lines === undefined) return;
    this.#comparison.abort();
    const comparison = new AbortController();
    this.#comparison = comparison;
    this.#comparisonFailure = undefined;
    const { signal: workSignal } = this.#work;
    this.#show({ step: 'reading', fraction: 0 });
    let tags: ReadonlyMap<string, number> | undefined;
    const comparisonFailure = await this.#withClient(async (client, signal) => {
      const newest: NamedPlant[] = [];
      await this.#compareNew(client, lines, signal);
      tags = await countTags(client, { signal });
      for await (const plant of listAll(client, { order: 'newest', signal }))
        if (newest.push(plant) === maxComparedNames) break;
      this.#areNamesTruncated = newest.length === maxComparedNames;
      lines.findSameNames(newest);
    });
    // If a later comparison has started, it shows the review instead.
    if (workSignal.aborted || comparison !== this.#comparison) return;
    this.#comparisonFailure = comparisonFailure;
    lines.findVariants(tags);
    lines.show('all');
    this.#show({ ...this.#viewOf(lines), step: 'review', comparisonFailure, progress: undefined });
    await this.#onStop(comparisonFailure, target);
  }

  async change([name, ...args]: Change): Promise<void> {
    const lines = this.#lines;
    if (lines === undefined) return;
    (lines[name] as (...args: readonly unknown[]) => void).apply(lines, args);
    // If the comparison failed, do not repeat it now. A run compares each line whose ID turns out to be taken.
    if (this.#comparisonFailure === undefined && !['show', 'showMore'].includes(name))
      await this.#withClient((client, signal) => this.#compareNew(client, lines, signal));
    if (name === 'toggleFix') lines.findVariants();
    lines.findSameNames();
    this.#show(this.#viewOf(lines));
  }

  async run(task?: Task): Promise<void> {
    const [run, target] = [this.#run, this.#target];
    // Sending plants in flight again would make them replays, which an undo does not delete.
    if (run === undefined || target === undefined || run.isRunning) return;
    this.#comparisonFailure = undefined;
    const ended = run.start(target, task);
    this.#showProgress({ step: 'run' });
    await this.#onStop(await ended, target);
  }

  async setTarget(target: Target | undefined): Promise<void> {
    this.#target = target;
    if (target === undefined) {
      this.#comparison.abort();
      this.#run?.cancel(noToken);
    } else if (this.#run?.stopReason?.cause === 'token') await this.run();
    else if (this.#comparisonFailure?.cause === 'token') await this.compare();
  }

  cancel(): void {
    this.#run?.cancel();
  }

  download(): void {
    if (this.#lines !== undefined) this.#report({ type: 'download', ...writeProblems(this.#lines) });
  }

  async #check(table: Table, layout: TableLayout): Promise<void> {
    this.#discard();
    const lines = new Lines(table, layout);
    this.#lines = lines;
    this.#run = new Run(lines, () => this.#scheduleProgress(), this.#connection);
    await this.compare();
  }

  /** Compares the ready lines that have not been compared yet. */
  async #compareNew(client: Client, lines: Lines, signal: AbortSignal): Promise<void> {
    const toCompare = lines.all.filter(({ state, isCompared }) => state === 'ready' && !isCompared);
    let done = 0;
    for await (const [line, found] of findStored(client, toCompare, signal)) {
      lines.compare(line, found, true);
      if (++done % comparisonsPerReport === 0 && toCompare.length > comparisonsPerReport)
        this.#show({ fraction: done / toCompare.length });
    }
  }

  /** Calls a function with a client. Resolves to why the call failed, or to `undefined` if it succeeded. */
  async #withClient(
    call: (client: Client, signal: AbortSignal) => Promise<void>,
  ): Promise<StopReason | undefined> {
    const target = this.#target;
    if (target === undefined) return noToken;
    try {
      await call(connect(target, this.#connection), this.#comparison.signal);
      return undefined;
    } catch (error) {
      // If the token changed during the call, `#onStop` decides what comes next.
      return target === this.#target ? toStopReason(error) : noToken;
    }
  }

  /** If the token was rejected, resumes with a newer token, or has the page ask for one. */
  async #onStop(reason: StopReason | undefined, target: Target | undefined): Promise<void> {
    if (reason?.cause !== 'token') return;
    if (target !== this.#target) await this.setTarget(this.#target);
    else if (target !== undefined)
      this.#report({ type: 'rejected', token: target.token, message: reason.message });
  }

  #viewOf(lines: Lines): Partial<View> {
    const list = lines.updateList();
    const { counts, fixable, fixed, filter, notes, edited } = lines;
    const totals = lines.all.filter(({ isTotal, state }) => isTotal && state === 'skipped');
    const sameNames = counts['same-name'];
    const limitNote = `Only the ${formatCount(maxComparedNames)} newest plants were checked.`;
    const note = `${formatCountOf(sameNames, 'line')} ${sameNames === 1 ? 'has' : 'have'} the same name as another line or plant.`;
    return {
      counts,
      fixable,
      fixed,
      list,
      filter,
      edited,
      notes: [
        ...notes,
        ...(sameNames === 0 ? [] : [this.#areNamesTruncated ? `${note} ${limitNote}` : note]),
      ],
      totals: totals.map(({ index, row }) => ({ index, line: row.line })),
    };
  }

  #scheduleProgress(): void {
    this.#progressTimer ??= setTimeout(() => this.#showProgress(), progressIntervalMs);
  }

  #showProgress(view: Partial<View> = {}): void {
    clearTimeout(this.#progressTimer);
    this.#progressTimer = undefined;
    const [run, lines] = [this.#run, this.#lines];
    if (run === undefined || lines === undefined) return;
    const { counts } = lines;
    const progress = run.getProgress(counts);
    this.#show({ ...view, progress, ...(progress.state === 'running' ? { counts } : this.#viewOf(lines)) });
  }

  #show(view: Partial<View>): void {
    this.#report({ type: 'view', view });
  }

  /** Aborts reading, comparing, and storing, and forgets the lines. */
  #discard(): void {
    this.#work.abort();
    this.#comparison.abort();
    this.#work = new AbortController();
    this.#run?.cancel();
    this.#run = undefined;
    this.#lines = undefined;
    this.#comparisonFailure = undefined;
  }
}

function toPreview(table: Table, layout: TableLayout): Preview {
  const { fileName, sheet, encoding, notes } = table;
  return {
    fileName,
    notes,
    columns: describeColumns(table, layout),
    sheets: sheet && { names: sheet.names, chosen: sheet.name },
    encoding: encoding === 'UTF-8' || encoding === 'UTF-16' ? undefined : encoding,
  };
}
