import { type Client, countTags, listAll } from '@plant-store/client';
import type { Texts } from '../../shared/fields.js';
import { formatCount, formatCountOf } from '../format-count.js';
import type {
  ColumnChoice,
  Filter,
  Fix,
  Group,
  ReadAs,
  Report,
  Request,
  Requests,
  Source,
  Stop,
  Target,
  Task,
  View,
} from '../protocol.js';
import { chooseReading, describeColumns, type Reading } from './columns/recognize-columns.js';
import { Lines } from './lines.js';
import { UnreadableFileError } from './read/file-kinds.js';
import { readSource, type Table } from './read/read-source.js';
import { type Connection, connect, explain, findStored, noToken, Run } from './run.js';
import { writeProblems } from './write-problems.js';

/** At most this often is the progress of a run reported. */
const progressMs = 200;

/** After so many lines is the progress of a comparison reported. */
const comparedTogether = 1_000;

/** So many stored names are compared with those of the lines: those of the newest plants. */
const comparedNames = 10_000;

/** The work on one file at a time, from reading to storing: takes requests, and reports by a callback. */
export class ImportWorker implements Requests {
  readonly #report: (report: Report) => void;
  readonly #connection: Connection;
  /** Ends what is in progress with the lines of now. */
  #work = new AbortController();
  #table: Table | undefined;
  #lines: Lines | undefined;
  #run: Run | undefined;
  /** Where lines are compared with what is stored, and what ends that. */
  #target: Target | undefined;
  #comparison = new AbortController();
  #namesAreCut = false;
  #progressTimer: ReturnType<typeof setTimeout> | undefined;

  /** @param connection how plants are sent, for tests */
  constructor(report: (report: Report) => void, connection: Connection = {}) {
    this.#report = report;
    this.#connection = connection;
  }

  async handle([name, ...given]: Request): Promise<void> {
    await (this[name] as (...args: readonly unknown[]) => unknown).apply(this, given);
  }

  async read(source: Source, readAs: ReadAs): Promise<void> {
    this.#table = undefined;
    this.#discard();
    const { signal } = this.#work;
    try {
      const table = await readSource(source, readAs);
      if (signal.aborted) return;
      this.#table = table;
      const reading = chooseReading(table);
      this.#preview(table, reading);
      // Objects have no columns to choose.
      if (reading.columns === undefined) this.#check(table, reading);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof UnreadableFileError)) throw error;
      this.#show({ step: 'source', problem: error.message });
    }
  }

  recognize(header: number | undefined): void {
    if (this.#table !== undefined) this.#preview(this.#table, chooseReading(this.#table, { header }));
  }

  check(header: number | undefined, columns: ColumnChoice): void {
    if (this.#table !== undefined) this.#check(this.#table, chooseReading(this.#table, { header, columns }));
  }

  async fix(fix: Fix): Promise<void> {
    await this.#change(async (lines) => {
      lines.toggleFix(fix);
      await this.#ask((client, signal) => this.#compareNew(client, lines, signal));
      lines.findVariants();
      return {};
    });
  }

  async compare(target: Target): Promise<void> {
    const lines = this.#lines;
    if (lines === undefined) return;
    this.#target = target;
    this.#comparison = new AbortController();
    const { signal } = this.#work;
    let tags: ReadonlyMap<string, number> | undefined;
    const uncompared = await this.#ask(async (client, asked) => {
      const newest: { readonly id: bigint; readonly name: string }[] = [];
      await this.#compareNew(client, lines, asked);
      tags = await countTags(client, { signal: asked });
      for await (const plant of listAll(client, { order: 'newest', signal: asked }))
        if (newest.push(plant) === comparedNames) break;
      this.#namesAreCut = newest.length === comparedNames;
      lines.findSameNames(newest);
    });
    if (signal.aborted) return;
    lines.findVariants(tags);
    lines.show('all');
    this.#show({ ...this.#viewOf(lines), step: 'review', uncompared });
  }

  show(filter: Filter): Promise<void> {
    return this.#change((lines) => void lines.show(filter));
  }

  showMore(group: Group): Promise<void> {
    return this.#change((lines) => void lines.showMore(group));
  }

  leaveOut(line: number): Promise<void> {
    return this.#change((lines) => void lines.leaveOut(line));
  }

  async include(indexes: readonly number[]): Promise<void> {
    await this.#change(async (lines) => {
      lines.include(indexes);
      await this.#ask((client, signal) => this.#compareNew(client, lines, signal));
      return {};
    });
  }

  async edit(index: number, texts: Texts): Promise<void> {
    await this.#change(async (lines) => {
      lines.edit(index, texts);
      // What cannot be compared now is compared when it is sent.
      await this.#ask((client, signal) => this.#compareNew(client, lines, signal));
      const { row, problem } = lines.all[index] ?? {};
      return { edited: { line: row?.line ?? 0, problem: problem?.reason } };
    });
  }

  async run(target: Target, task: Task): Promise<void> {
    await this.#run?.start(target, task);
  }

  cancel(): void {
    this.#run?.cancel();
  }

  forgetToken(): void {
    this.#target = undefined;
    this.#comparison.abort();
    this.#run?.cancel(noToken);
  }

  download(): void {
    if (this.#lines !== undefined) this.#report({ type: 'download', ...writeProblems(this.#lines) });
  }

  #preview(table: Table, reading: Reading): void {
    const { fileName, sheet, encoding, notes } = table;
    const columns = describeColumns(table, reading);
    this.#show({
      step: columns === undefined ? 'reading' : 'columns',
      preview: {
        fileName,
        columns,
        notes,
        sheets: sheet && { names: sheet.names, chosen: sheet.name },
        encoding: encoding === 'UTF-8' || encoding === 'UTF-16' ? undefined : encoding,
      },
    });
  }

  #check(table: Table, reading: Reading): void {
    this.#discard();
    const lines = new Lines(table, reading);
    this.#lines = lines;
    this.#run = new Run(lines, () => this.#scheduleProgress(), this.#connection);
    const none = { progress: undefined, edited: undefined };
    this.#show({ ...this.#viewOf(lines), ...none, step: 'review' });
  }

  /** Shows the lines as they are once they are changed. */
  async #change(change: (lines: Lines) => Promise<Partial<View>> | Partial<View> | undefined): Promise<void> {
    const lines = this.#lines;
    if (lines === undefined) return;
    const view = await change(lines);
    lines.findSameNames();
    this.#show({ ...this.#viewOf(lines), ...view });
  }

  async #compareNew(client: Client, lines: Lines, signal: AbortSignal): Promise<void> {
    const toCompare = lines.all.filter(({ state, isCompared }) => state === 'ready' && !isCompared);
    let done = 0;
    for await (const [line, found] of findStored(client, toCompare, signal)) {
      lines.compare(line, found, true);
      if (++done % comparedTogether === 0 && toCompare.length > comparedTogether)
        this.#show({ fraction: done / toCompare.length });
    }
  }

  /** Asks for what is stored, and returns why that failed, if it did. */
  async #ask(read: (client: Client, signal: AbortSignal) => Promise<void>): Promise<Stop | undefined> {
    if (this.#target === undefined) return noToken;
    try {
      await read(connect(this.#target, this.#connection), this.#comparison.signal);
      return undefined;
    } catch (error) {
      return this.#target === undefined ? noToken : explain(error);
    }
  }

  #viewOf(lines: Lines): Partial<View> {
    const { counts, fixable, fixed, list, filter, notes } = lines;
    const totals = lines.all.filter(({ isTotal, state }) => isTotal && state === 'skipped');
    const names = counts['same-name'];
    const cut = `Only the ${formatCount(comparedNames)} newest plants were looked at.`;
    const note = `${formatCountOf(names, 'line')} ${names === 1 ? 'has' : 'have'} a name that another line or another plant has, too.`;
    return {
      counts,
      fixable,
      fixed,
      list,
      filter,
      notes: [...notes, ...(names === 0 ? [] : [this.#namesAreCut ? `${note} ${cut}` : note])],
      totals: totals.map(({ index, row }) => ({ index, line: row.line })),
    };
  }

  #scheduleProgress(): void {
    this.#progressTimer ??= setTimeout(() => {
      this.#progressTimer = undefined;
      const [run, lines] = [this.#run, this.#lines];
      if (run === undefined || lines === undefined) return;
      const { counts } = lines;
      const progress = run.progressAt(counts);
      if (progress.state === 'running') this.#show({ progress, counts });
      else this.#show({ progress, ...this.#viewOf(lines) });
    }, progressMs);
  }

  #show(view: Partial<View>): void {
    this.#report({ type: 'view', view });
  }

  /** Ends what is being read, compared or stored. */
  #discard(): void {
    this.#work.abort();
    this.#comparison.abort();
    this.#work = new AbortController();
    this.#run?.cancel();
    this.#run = undefined;
    this.#lines = undefined;
  }
}
