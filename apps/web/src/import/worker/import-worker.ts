import { type Client, countTags } from '@plant-store/client';
import type { Texts } from '../../shared/fields.js';
import { toVisible } from '../../shared/to-visible.js';
import { formatCountOf } from '../format-count.js';
import type { Command, ReadingStep, Report, Stop, Target } from '../protocol.js';
import { chooseReading, describeColumns, type Reading } from './columns/choose-reading.js';
import { compareLines } from './compare.js';
import { writeProblems } from './download/write-problems.js';
import { Lines } from './lines.js';
import { createPacer, type Pacer } from './pacer.js';
import { UnreadableFileError } from './reading/decode-text.js';
import { type Connection, connect, explain, noToken, Run } from './run.js';
import { readLineNumber, readTable, type Table } from './table.js';

/** At most this often is progress reported. */
const progressMs = 100;

/** The work on one file at a time, from reading to storing: takes commands, and reports by a callback. */
export class ImportWorker {
  readonly #report: (report: Report) => void;
  readonly #connection: Connection;
  readonly #sliceMs: number | undefined;
  #work = new AbortController();
  #table: Table | undefined;
  #lines: Lines | undefined;
  #run: Run | undefined;
  /** Where lines are compared with what is stored, and what ends that. */
  #target: Target | undefined;
  #comparison = new AbortController();
  #page: Pick<Command & { type: 'list' }, 'filter' | 'offset'> = { filter: 'all', offset: 0 };
  #progressTimer: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param connection how plants are sent, for tests
   * @param sliceMs how long work goes on before it gives way, for tests
   */
  constructor(report: (report: Report) => void, connection: Connection = {}, sliceMs?: number) {
    this.#report = report;
    this.#connection = connection;
    this.#sliceMs = sliceMs;
  }

  async handle(command: Command): Promise<void> {
    switch (command.type) {
      case 'read':
        return await this.#read(command);
      case 'recognize':
        return this.#recognize(command);
      case 'check':
        return await this.#checkChoice(command);
      case 'fix':
        return await this.#fix(command);
      case 'compare':
        return await this.#compare(command);
      case 'list':
        this.#page = command;
        return this.#list();
      case 'review':
        this.#page = { filter: command.filter, offset: 0 };
        this.#lines?.reviewConflicts();
        return this.#list();
      case 'edit':
        return await this.#edit(command);
      case 'skip':
        this.#lines?.skip(command.record, command.skips);
        return this.#list();
      case 'run':
        return await this.#run?.start(command, command.task);
      case 'cancel':
        return this.#run?.cancel();
      case 'forget-token':
        this.#target = undefined;
        this.#comparison.abort();
        return this.#run?.forgetToken();
      case 'download':
        return await this.#download();
    }
  }

  async #read({ source, readAs }: Command & { type: 'read' }): Promise<void> {
    this.#table = undefined;
    this.#discard();
    await this.#workOn(async () => {
      const table = await readTable(source, this.#createPacer('read'), readAs);
      this.#table = table;
      const reading = chooseReading(table);
      this.#preview(table, reading);
      // NDJSON has no columns to choose.
      if (reading.columns === undefined) await this.#check(table, reading);
    });
  }

  #recognize({ header }: Command & { type: 'recognize' }): void {
    if (this.#table !== undefined) this.#preview(this.#table, chooseReading(this.#table, { header }));
  }

  #preview(table: Table, reading: Reading): void {
    const { fileName, sheet, encoding } = table;
    const columns = describeColumns(table, reading);
    this.#report({
      type: 'read',
      preview: {
        ...{ fileName, columns, format: nameFormat(table), notes: noteHidden(table) },
        sheets: sheet && { names: sheet.names, chosen: sheet.name },
        encoding: encoding === 'UTF-8' || encoding === 'UTF-16' ? undefined : encoding,
      },
    });
  }

  async #checkChoice({ header, columns }: Command & { type: 'check' }): Promise<void> {
    const table = this.#table;
    if (table === undefined) return;
    this.#discard();
    await this.#workOn(() => this.#check(table, chooseReading(table, { header, columns })));
  }

  /** Checks all lines again, with what the person has edited by hand. */
  async #fix({ fixes }: Command & { type: 'fix' }): Promise<void> {
    const lines = this.#lines;
    if (lines === undefined) return;
    this.#discard();
    await this.#workOn(() => this.#check(lines.table, lines.withFixes(fixes), lines.edits));
  }

  async #check(table: Table, reading: Reading, edits?: ReadonlyMap<number, Texts>): Promise<void> {
    const lines = await Lines.check(table, reading, this.#createPacer('check'), edits);
    this.#lines = lines;
    this.#run = new Run(lines, () => this.#scheduleProgress(), this.#connection);
    this.#page = lines.list('problems', 0);
    this.#report({
      type: 'checked',
      notes: noteLines(lines),
      counts: lines.counts,
      list: lines.list('problems', 0),
    });
  }

  /** Compares what can be added with what is stored. */
  async #compare({ baseUrl, token }: Command & { type: 'compare' }): Promise<void> {
    const lines = this.#lines;
    if (lines === undefined) return;
    this.#target = { baseUrl, token };
    this.#comparison = new AbortController();
    const { signal } = this.#work;
    const pacer = this.#createPacer('compare');
    const failure = await this.#ask(async (client, asked) => {
      await compareLines(client, lines, lines.readPlants('ready'), { signal: asked, pacer });
      lines.findVariants(await countTags(client, { signal: asked }));
    });
    if (signal.aborted) return;
    const list = lines.list('problems', 0);
    this.#page = list;
    this.#report({ type: 'compared', notes: noteLines(lines), counts: lines.counts, list, failure });
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

  #list(): void {
    if (this.#lines === undefined) return;
    const list = this.#lines.list(this.#page.filter, this.#page.offset);
    this.#page = list;
    this.#report({ type: 'list', counts: this.#lines.counts, list });
  }

  async #edit({ record, texts }: Command & { type: 'edit' }): Promise<void> {
    const [lines, table] = [this.#lines, this.#table];
    if (lines === undefined || table === undefined) return;
    let problem = lines.edit(record, texts);
    // What cannot be compared now is compared when it is sent.
    if (problem === undefined) {
      const pacer = this.#createPacer();
      await this.#ask((client, signal) =>
        compareLines(client, lines, lines.readRecords([record]), { signal, pacer }),
      );
    }
    problem ??= lines.problems.get(record)?.reason;
    this.#list();
    this.#report({ type: 'edited', line: readLineNumber(table, record), problem });
  }

  async #download(): Promise<void> {
    const lines = this.#lines;
    if (lines === undefined) return;
    const pacer = this.#createPacer();
    await this.#workOn(async () =>
      this.#report({ type: 'download', ...(await writeProblems(lines, pacer)) }),
    );
  }

  #scheduleProgress(): void {
    this.#progressTimer ??= setTimeout(() => {
      this.#progressTimer = undefined;
      if (this.#run === undefined || this.#lines === undefined) return;
      this.#report({ type: 'progress', progress: this.#run.progress, counts: this.#lines.counts });
    }, progressMs);
  }

  /** Ends what is being read, checked or stored. */
  #discard(): void {
    this.#work.abort();
    this.#comparison.abort();
    this.#work = new AbortController();
    this.#run?.cancel();
    this.#run = undefined;
    this.#lines = undefined;
  }

  #createPacer(step?: ReadingStep): Pacer {
    const report = (fraction: number) =>
      step !== undefined && this.#report({ type: 'reading', step, fraction });
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

function nameFormat({ sheet, format }: Table): string {
  if (sheet !== undefined) return `XLSX, sheet "${toVisible(sheet.name)}"`;
  if (format.kind === 'ndjson') return 'NDJSON';
  return format.delimiter === '\t' ? 'TSV' : 'CSV';
}

function noteHidden({ sheet }: Table): readonly string[] {
  const { rows, columns } = sheet?.hidden ?? { rows: 0, columns: [] };
  const hidden = [
    ...(rows === 0 ? [] : [formatCountOf(rows, 'hidden row')]),
    ...(columns.length === 0
      ? []
      : [`the hidden ${columns.length === 1 ? 'column' : 'columns'} ${columns.join(', ')}`]),
  ];
  return hidden.length === 0 ? [] : [`The sheet has ${hidden.join(' and ')}: they are read like all others.`];
}

function noteLines(lines: Lines): readonly string[] {
  return [...noteRounding(lines), ...noteRenaming(lines), ...noteVariants(lines)];
}

function noteRenaming({ areMostRenamed }: Lines): readonly string[] {
  if (!areMostRenamed) return [];
  return [
    'Most changed lines have a name that is quite different from the one stored under their id. Check that these are the same plants.',
  ];
}

/** Names some texts that differ from others only in what people do not see. */
function noteVariants({ variants }: Lines): readonly string[] {
  const [first] = variants;
  if (first === undefined) return [];
  const [text, to] = [first.text, first.to].map((each) => `“${toVisible(each, 60)}”`);
  return [
    `Some names or tags differ from others only in spaces, upper and lower case, or the composition of letters, such as ${text} from ${to}.`,
  ];
}

function noteRounding({ rounded }: Lines): readonly string[] {
  if (rounded === 0) return [];
  return [
    `All ids of more than 15 digits end in zeros (${rounded}): the spreadsheet may have rounded them. Format the column as text, and enter these ids again.`,
  ];
}
