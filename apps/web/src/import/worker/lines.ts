import { errors } from '@plant-store/client';
import type { NewPlant } from '@plant-store/contract';
import { toAsciiNumber } from '@plant-store/contract/ascii-number';
import type { Plant } from '@plant-store/contract/operations';
import { unguardText } from '@plant-store/contract/record-format';
import { fieldNames, mapFields, type TextName, type Texts, textNames } from '../../shared/fields.js';
import { hasSameTexts } from '../../shared/texts.js';
import { toVisible } from '../../shared/to-visible.js';
import {
  type Counts,
  type Filter,
  type Fix,
  type List,
  listLength,
  type Rejection,
  type Row,
  type RowState,
} from '../protocol.js';
import { Forms, type Variant } from './check/find-variants.js';
import { generateId } from './check/generate-id.js';
import { fixId } from './check/read-id.js';
import {
  findOtherResource,
  type PlantRecord,
  readJsonTexts,
  readPlantJson,
  readPlantTexts,
} from './check/read-plant.js';
import type { Reading } from './columns/choose-reading.js';
import type { Pacer } from './pacer.js';
import { isMalformed, readCells, readLineNumber, type Table } from './table.js';

/** What is known about a record: a byte, since there may be a million. */
const state = {
  ready: 0,
  header: 1,
  faulty: 2,
  rejected: 3,
  stored: 4,
  replayed: 5,
  retired: 6,
  changed: 7,
  conflict: 8,
  skipped: 9,
  updated: 10,
  kept: 11,
} as const;

/** How a row is called that has no problem. */
const rowStates: Readonly<Record<number, RowState>> = {
  [state.stored]: 'stored',
  [state.changed]: 'changed',
  [state.conflict]: 'conflict',
  [state.skipped]: 'skipped',
  [state.updated]: 'updated',
  [state.kept]: 'kept',
};

/** A plant that is stored under the id of a line, and what names this state of it. */
export interface Known {
  readonly plant: Plant;
  readonly etag: string;
}

/** Why a record is not stored, with the number of the service's error if it was sent. */
export interface Problem {
  readonly reason: string;
  readonly error?: number;
  /** What would solve it. */
  readonly fix?: Fix | undefined;
}

const isDone = (one: number | undefined) =>
  one === state.stored || one === state.replayed || one === state.updated;

/** Whether people see no difference between the texts of plants: an empty text looks like none. */
const hasSameWriting = (one: Plant, other: Plant) =>
  textNames.every((name) => (one[name] ?? '') === (other[name] ?? ''));

const wordsOf = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));

function sharesWord(one: string, other: string): boolean {
  const others = wordsOf(other);
  return [...wordsOf(one)].some((word) => others.has(word));
}

/** Which lines are shown in place of none. */
const mostUrgent: readonly Filter[] = ['problems', 'changed', 'ready'];

const blockLength = 500;
/** The texts of a line that is longer are edited in the file. */
const longestEditable = 10_000;

/** The longest text that is shown whole, in characters. */
const longestShown = 200;

/** What spreadsheets show and export for an error, in the languages that translate it, such as `#N/A`, `#NV` or `#¡REF!`. */
const errorCell = /^\s*#(?:N\/[AD]|N\.?V|NB|[¡¿]?[\p{Lu}\d_/]{3,20}[!?])\.?\s*$/u;

const openQuote =
  'a double quote opens a cell and does not close it; close it, or write it twice if it belongs to the text';

/** What the cells of a line with an open quote probably are, for a person to check. */
function splitUnreadable(line: string, { format }: Table): readonly string[] {
  if (format.kind === 'ndjson') return [line];
  return line.split(format.delimiter).map((cell) => cell.replace(/^\s*"|"\s*$/g, ''));
}

/** The records of a table as plants: which can be sent, which have a problem, and what came of them. */
export class Lines {
  readonly table: Table;
  readonly reading: Reading;
  /** What a person has written in place of a record. */
  readonly edits: Map<number, Texts>;
  readonly #problems = new Map<number, Problem>();
  readonly #fixable = { generate: 0, separators: 0, decimals: 0, replace: 0, tidy: 0 };
  readonly #forms = new Map(textNames.map((name) => [name, new Forms()]));
  #variants: readonly (Variant & { readonly name: TextName })[] = [];
  readonly #states: Uint8Array;
  /** The column with the name of a resource, as exports of other resources have it; -1 for none. */
  readonly #resourceColumn: number;
  /** How many records have each state. */
  readonly #counts = Object.values(state).map(() => 0);
  /** What is stored under the ids of records that are changed; once these are updated, what was. */
  readonly #known = new Map<number, Known>();
  /** The changed records whose names have no word of what is stored: their ids may be those of other plants. */
  readonly #renamed = new Set<number>();
  /** The records whose plants somebody else has changed since the person reviewed them. */
  readonly #conflicts = new Set<number>();
  /** The `ETag` of each plant as a run has added or updated it. */
  readonly #etags = new Map<number, string>();
  /** The first record of each id. */
  readonly #firstById = new Map<bigint, number>();
  /** The records with the same plant as an earlier one, and how many of them were sent with success. */
  readonly #duplicates = new Set<number>();
  #repeated = 0;
  #longIds = 0;
  #roundedIds = 0;

  private constructor(table: Table, reading: Reading, edits: ReadonlyMap<number, Texts>) {
    this.table = table;
    this.reading = reading;
    this.edits = new Map(edits);
    this.#states = new Uint8Array(table.length);
    const titles = reading.header === undefined ? [] : this.#readCells(reading.header);
    this.#resourceColumn = titles.findIndex((title) => title.trim() === 'resource');
    this.#counts[state.ready] = table.length;
    for (let record = 0; record < this.#start; record++) this.#set(record, state.header);
  }

  /**
   * Checks all records by the contract, and against each other: an id of two different plants can be only one's.
   *
   * @param pacer gets the fraction that is done
   * @param edits what a person has written before
   */
  static async check(
    table: Table,
    reading: Reading,
    pacer: Pacer,
    edits: ReadonlyMap<number, Texts> = new Map(),
  ): Promise<Lines> {
    const lines = new Lines(table, reading, edits);
    for (let from = lines.#start; from < table.length; from += blockLength) {
      const to = Math.min(from + blockLength, table.length);
      for (const [offset, record] of lines.#read(from, to).entries()) lines.#check(from + offset, record);
      await pacer.pass(to / table.length);
    }
    lines.findVariants();
    return lines;
  }

  /**
   * Finds the texts that differ from others only in spaces, case, or composition.
   *
   * @param storedTags how many stored plants have each tag
   */
  findVariants(storedTags?: ReadonlyMap<string, number>): void {
    this.#variants = [...this.#forms].flatMap(([name, forms]) =>
      forms.findVariants(name === 'tag' ? storedTags : undefined).map((variant) => ({ ...variant, name })),
    );
    this.#fixable.tidy = this.#variants.reduce((sum, { count }) => sum + count, 0);
  }

  /** Whether most changed plants would get a name that has no word of what is stored. */
  get areMostRenamed(): boolean {
    return this.#renamed.size * 2 > this.counts.changed;
  }

  get variants(): readonly Variant[] {
    return this.#variants;
  }

  /** How the lines are read once other fixes are chosen. */
  withFixes(fixes: readonly Fix[]): Reading {
    if (!fixes.includes('tidy') || this.reading.fixes.includes('tidy')) return { ...this.reading, fixes };
    const mapOf = (wanted: TextName) =>
      new Map(this.#variants.flatMap(({ name, text, to }) => (name === wanted ? [[text, to]] : [])));
    return {
      ...this.reading,
      fixes,
      tidied: Object.fromEntries(textNames.map((name) => [name, mapOf(name)])),
    };
  }

  /** The first record below the titles. */
  get #start(): number {
    return this.reading.header === undefined ? 0 : this.reading.header + 1;
  }

  /** Why the service has rejected the first ones, at most 3. */
  get rejections(): readonly Rejection[] {
    const rejections: Rejection[] = [];
    if (this.rejected === 0) return rejections;
    for (const [record, { error, reason }] of this.#problems) {
      if (this.#states[record] !== state.rejected || error === undefined) continue;
      rejections.push({ line: readLineNumber(this.table, record), reason });
      if (rejections.length === 3) break;
    }
    return rejections;
  }

  /** Of the records that are faulty or rejected, or have the id of a deleted plant. */
  get problems(): ReadonlyMap<number, Problem> {
    return this.#problems;
  }

  get counts(): Counts {
    const count = (name: keyof typeof state) => this.#counts[state[name]] ?? 0;
    const replayed = count('replayed');
    const fixable = { ...this.#fixable };
    // Of equal lines that are in flight at once, any may be the one that is stored.
    const before = Math.max(0, replayed - this.#repeated);
    const duplicates = this.#duplicates.size;
    return {
      lines: this.table.length - count('header'),
      ready: count('ready'),
      changed: count('changed'),
      conflicts: count('conflict'),
      retired: count('retired'),
      skipped: count('skipped'),
      problems: count('faulty') + count('rejected'),
      stored: count('stored'),
      updated: count('updated'),
      replayed: before,
      repeated: replayed - before,
      ...{ duplicates, fixable },
    };
  }

  /** How many plants the service has rejected. */
  get rejected(): number {
    return this.#counts[state.rejected] ?? 0;
  }

  /** How many plants an undo has left, since they were changed after the run. */
  get kept(): number {
    return this.#counts[state.kept] ?? 0;
  }

  /** How many ids look as if a spreadsheet had rounded them to 15 digits. */
  get rounded(): number {
    // Where some long ids do not end in zeros, no spreadsheet has rounded the column.
    return this.#roundedIds === this.#longIds ? this.#roundedIds : 0;
  }

  /** The plants of the records of a state, in order. */
  *readPlants(
    of: 'ready' | 'changed' | 'stored' | 'updated',
  ): Generator<readonly [record: number, plant: NewPlant]> {
    for (let from = 0; from < this.table.length; from += blockLength) {
      const to = Math.min(from + blockLength, this.table.length);
      if (!this.#states.subarray(from, to).includes(state[of])) continue;
      for (const [offset, record] of this.#read(from, to).entries()) {
        const isOne = this.#states[from + offset] === state[of];
        if (isOne && 'plant' in record) yield [from + offset, this.#merge(from + offset, record.plant)];
      }
    }
  }

  /** The plants of some records. */
  *readRecords(records: Iterable<number>): Generator<readonly [record: number, plant: NewPlant]> {
    for (const record of records) {
      const [read] = this.#read(record, record + 1);
      if (read && 'plant' in read) yield [record, read.plant];
    }
  }

  /** What is stored under the id of a record that is changed; once it is updated, what was. */
  knownOf(record: number): Known | undefined {
    return this.#known.get(record);
  }

  /** What names the plant of a record as a run has added or updated it. */
  etagOf(record: number): string | undefined {
    return this.#etags.get(record);
  }

  /**
   * Notes what is stored under the id of a record.
   *
   * @param isSeen whether the person can review it before anything is sent; otherwise, they have seen another state
   */
  compare(record: number, known: Known, isSeen: boolean): void {
    this.#problems.delete(record);
    const [read] = this.#read(record, record + 1);
    if (read === undefined || !('plant' in read)) return;
    this.#known.set(record, known);
    const isSame = hasSameWriting(this.#merge(record, read.plant), known.plant);
    // A line like an earlier one has nothing to send.
    if (isSame || (isSeen && this.#duplicates.has(record))) {
      this.#known.delete(record);
      this.#set(record, state.replayed);
    } else this.#set(record, isSeen ? state.changed : state.conflict);
    if (!isSeen) this.#conflicts.add(record);
    if (!isSame && !sharesWord(read.plant.name, known.plant.name)) this.#renamed.add(record);
  }

  /** Lets a run update what the person can now review. */
  reviewConflicts(): void {
    for (const record of this.#known.keys())
      if (this.#states[record] === state.conflict) this.#set(record, state.changed);
  }

  /** Leaves a changed plant as it is stored, or no longer. */
  skip(record: number, skips: boolean): void {
    if (this.#states[record] === (skips ? state.changed : state.skipped))
      this.#set(record, skips ? state.skipped : state.changed);
  }

  /** Notes that a plant that was added is deleted again, or that one that was updated is what it was. */
  revert(record: number): void {
    this.#set(record, this.#known.has(record) ? state.changed : state.ready);
  }

  /** Notes that an undo has left a plant, since somebody else has changed it. */
  keep(record: number): void {
    this.#set(record, state.kept);
  }

  /** Notes the result of a plant that was sent, with its `ETag` where it was added or updated. */
  resolve(
    record: number,
    outcome: 'replayed' | { readonly etag: string } | (Problem & { readonly error: number }),
  ): void {
    if (outcome === 'replayed') this.#set(record, state.replayed);
    else if ('etag' in outcome) {
      this.#etags.set(record, outcome.etag);
      this.#set(record, this.#known.has(record) ? state.updated : state.stored);
    } else {
      this.#set(record, state.rejected);
      this.#problems.set(record, outcome);
    }
  }

  /** Notes that the id of a plant is that of a deleted one. */
  retire(record: number): void {
    this.#known.delete(record);
    this.#set(record, state.retired);
    this.#problems.set(record, {
      reason: 'A plant with this id was deleted. Choose another id, or add deleted plants again.',
      error: errors.id_retired.error,
    });
  }

  /** Makes the plants ready that have the id of a deleted one. */
  readyRetired(): void {
    for (const record of this.#problems.keys()) {
      if (this.#states[record] !== state.retired) continue;
      this.#problems.delete(record);
      this.#set(record, state.ready);
    }
  }

  /** A plant with the stored texts of fields that the table has no column of: an update replaces all of them. */
  #merge(record: number, plant: NewPlant): NewPlant {
    const { columns } = this.reading;
    const known = this.#known.get(record)?.plant;
    if (columns === undefined || known === undefined) return plant;
    const kept = textNames.flatMap((name) => {
      const isGiven = columns[name] !== undefined || plant[name] !== undefined;
      return isGiven || known[name] === undefined ? [] : [[name, known[name]]];
    });
    return { ...plant, ...Object.fromEntries(kept) };
  }

  /** Takes the texts in place of a record with a problem, and checks them. Returns what is still wrong. */
  edit(record: number, texts: Texts): string | undefined {
    const problem = this.#problems.get(record);
    if (problem === undefined) return undefined;
    this.#problems.delete(record);
    if (problem.fix !== undefined) this.#fixable[problem.fix]--;
    this.#duplicates.delete(record);
    const [before] = this.#read(record, record + 1);
    // Its id is free for other lines of the file.
    if (before && 'plant' in before && this.#firstById.get(before.plant.id) === record)
      this.#firstById.delete(before.plant.id);
    this.edits.set(record, texts);
    this.#known.delete(record);
    this.#conflicts.delete(record);
    this.#renamed.delete(record);
    this.#set(record, state.ready);
    this.#check(record, readPlantTexts(texts));
    return this.problems.get(record)?.reason;
  }

  /** The part of the lines that the page shows; instead of none, those that a person should see first. */
  list(asked: Filter, offset: number): List {
    const { lines, changed, conflicts, replayed, repeated, ...counts } = this.counts;
    const totals = { ...counts, all: lines, changed: changed + conflicts, replayed: replayed + repeated };
    const filter = [asked, ...mostUrgent].find((one) => totals[one] > 0) ?? 'all';
    const total = totals[filter];
    // The last line of a page may have been edited, and so left it.
    const from = offset < total ? offset : Math.max(0, offset - listLength);
    const rows: Row[] = [];
    let passed = 0;
    for (let record = 0; record < this.table.length && rows.length < listLength; record++) {
      if (this.#isShown(record, filter) && passed++ >= from) rows.push(this.#toRow(record));
    }
    return { filter, offset: from, total, rows };
  }

  #isShown(record: number, filter: Filter): boolean {
    const current = this.#states[record];
    if (filter === 'all') return current !== state.header;
    if (filter === 'problems') return current === state.faulty || current === state.rejected;
    return current === state[filter] || (filter === 'changed' && current === state.conflict);
  }

  #toRow(record: number): Row {
    const texts = this.#readTexts(record);
    const isEditable = Object.values(texts).join('').length <= longestEditable;
    const problem = this.problems.get(record)?.reason;
    const current = this.#states[record];
    const replayed = this.#duplicates.has(record) ? 'repeated' : 'replayed';
    const isConflict = current === state.changed && this.#conflicts.has(record);
    const plain = isConflict ? 'conflict' : (rowStates[current ?? state.ready] ?? 'ready');
    const own = current === state.replayed ? replayed : plain;
    const known = this.#known.get(record)?.plant;
    const show = (text: string) => toVisible(text, longestShown);
    // An id that is ready is shown as it will be stored.
    const id = problem === undefined ? toAsciiNumber(texts.id) : texts.id;
    const { columns } = this.reading;
    const isKept = (name: keyof Plant) => columns !== undefined && columns[name] === undefined;
    return {
      record,
      line: readLineNumber(this.table, record),
      ...mapFields((name) =>
        show(name === 'id' ? id : texts[name] || (isKept(name) ? (known?.[name] ?? '') : '')),
      ),
      state: problem === undefined ? own : 'problem',
      before: known && mapFields((name) => show(name === 'id' ? id : (known[name] ?? ''))),
      problem,
      editable: problem !== undefined && isEditable ? texts : undefined,
    };
  }

  /** What some records hold, in order: as they were edited, otherwise as they are in the table. */
  #read(from: number, to: number): readonly PlantRecord[] {
    const { columns } = this.reading;
    return readCells(this.table, from, to).map((cells, offset) => {
      const record = from + offset;
      const edited = this.edits.get(record);
      if (edited) return readPlantTexts(edited);
      if (columns === undefined) return readPlantJson(cells[0] ?? '');
      if (isMalformed(this.table, record)) return { reason: openQuote };
      if (cells.slice(columns.count).some((cell) => cell.trim() !== '')) {
        return {
          reason: this.table.sheet
            ? 'there is something to the right of the last title; clear these cells, or give their column a title'
            : `the line has ${cells.length} cells for ${columns.count} columns; put a text that contains the delimiter in double quotes`,
        };
      }
      return (
        findOtherResource(cells[this.#resourceColumn]) ??
        this.#findDamage(record, cells) ??
        readPlantTexts(this.#toTexts(record, cells))
      );
    });
  }

  #readTexts(record: number): Texts {
    const edited = this.edits.get(record);
    if (edited) return edited;
    const cells = this.#readCells(record);
    if (this.reading.columns === undefined) {
      const texts = readJsonTexts(cells[0] ?? '');
      // Of a line that cannot be read, the text as it is.
      return Object.values(texts).join('') === '' ? { ...texts, name: cells[0] ?? '' } : texts;
    }
    return this.#toTexts(
      record,
      isMalformed(this.table, record) ? splitUnreadable(cells[0] ?? '', this.table) : cells,
    );
  }

  #readCells(record: number): readonly string[] {
    return readCells(this.table, record, record + 1)[0] ?? [];
  }

  #toTexts(record: number, cells: readonly string[]): Texts {
    const { columns } = this.reading;
    const { fixes, tidied } = this.reading;
    const { id, ...texts } = mapFields((name) => {
      const column = columns?.[name];
      const cell = cells[column ?? -1] ?? '';
      return name === 'id' ? cell : unguardText(cell);
    });
    // Of the texts as they are in the table, so that the same file gives the same ids however it is tidied.
    const generate = () => String(generateId(this.table.fileName, readLineNumber(this.table, record), texts));
    const read = { id: columns?.id === undefined ? generate() : fixId(id, fixes, generate), ...texts };
    if (tidied === undefined || !fixes.includes('tidy')) return read;
    return mapFields((name) => (name === 'id' ? read.id : (tidied[name]?.get(read[name]) ?? read[name])));
  }

  /** The problem of a cell that a spreadsheet has no longer as somebody has typed it, in a column that is imported. */
  #findDamage(record: number, cells: readonly string[]): { readonly reason: string } | undefined {
    for (const field of fieldNames) {
      const column = this.reading.columns?.[field];
      const cell = cells[column ?? -1] ?? '';
      const reason = this.table.sheet?.isRounded(record, column ?? -1)
        ? 'the spreadsheet may have rounded this number; format the cell as text, and enter it again'
        : errorCell.test(cell) && 'the spreadsheet could not calculate this cell; enter what belongs there';
      if (reason) return { reason: `${field} "${toVisible(cell, longestShown)}": ${reason}` };
    }
    return undefined;
  }

  #check(index: number, record: PlantRecord): void {
    const reason = 'reason' in record ? record.reason : this.#addPlant(index, record.plant);
    if (reason === undefined) return;
    this.#set(index, state.faulty);
    const fix = 'reason' in record ? record.fix : undefined;
    this.#problems.set(index, { reason, fix });
    if (fix !== undefined) this.#fixable[fix]++;
  }

  /** Counts a plant, or gives the reason why it cannot be stored beside an earlier one. */
  #addPlant(index: number, plant: NewPlant): string | undefined {
    const first = this.#firstById.get(plant.id);
    if (first === undefined) {
      this.#firstById.set(plant.id, index);
    } else {
      if (!this.#isSame(first, plant)) {
        return `line ${readLineNumber(this.table, first)} has another plant under the id ${plant.id}; choose another id for one of them`;
      }
      this.#duplicates.add(index);
    }
    const { columns } = this.reading;
    if (columns === undefined || columns.id !== undefined) this.#countDigits(plant.id);
    // Other formats have no fixes.
    if (columns !== undefined)
      for (const name of textNames) if (plant[name]) this.#forms.get(name)?.add(plant[name]);
    return undefined;
  }

  #isSame(index: number, plant: NewPlant): boolean {
    const [record] = this.#read(index, index + 1);
    return record !== undefined && 'plant' in record && hasSameTexts(record.plant, plant);
  }

  #countDigits(id: bigint): void {
    if (id < 10n ** 15n && id > -(10n ** 15n)) return;
    this.#longIds++;
    // The first 15 digits are what a spreadsheet keeps of a number.
    if (/^-?\d{15}0+$/.test(String(id))) this.#roundedIds++;
  }

  #set(record: number, next: number): void {
    const before = this.#states[record] ?? 0;
    this.#counts[before] = (this.#counts[before] ?? 0) - 1;
    this.#counts[next] = (this.#counts[next] ?? 0) + 1;
    this.#states[record] = next;
    if (this.#duplicates.has(record)) this.#repeated += Number(isDone(next)) - Number(isDone(before));
  }
}
