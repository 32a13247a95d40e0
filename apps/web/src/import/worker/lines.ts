import { errors } from '@plant-store/client';
import type { NewPlant } from '@plant-store/contract';
import { toAsciiNumber } from '@plant-store/contract/ascii-number';
import { foldText } from '@plant-store/contract/fold-text';
import type { Plant, StoredPlant } from '@plant-store/contract/operations';
import { unguardText } from '@plant-store/contract/record-format';
import {
  type FieldName,
  fieldNames,
  labelInSentence,
  mapFields,
  type TextName,
  type Texts,
  textNames,
} from '../../shared/fields.js';
import { hasSameTexts } from '../../shared/texts.js';
import { toVisible } from '../../shared/to-visible.js';
import {
  type Filter,
  type Fix,
  type Group,
  groupByState,
  groups,
  type LineState,
  noCounts,
  rowsPerPage,
  type Row as ShownRow,
  type View,
} from '../protocol.js';
import { findVariants, type Variant } from './check/find-variants.js';
import { generateId } from './check/generate-id.js';
import { isTotal } from './check/is-total.js';
import {
  findOtherResource,
  fixId,
  type PlantOrProblem,
  type Problem,
  readJsonTexts,
  readPlantJson,
  readPlantTexts,
} from './check/read-plant.js';
import type { TableLayout } from './columns/recognize-columns.js';
import type { Row } from './read/read-rows.js';
import type { Table } from './read/read-source.js';

/** The stored plant that has a line's ID, and its `ETag`. */
export interface StoredMatch {
  readonly plant: Plant;
  readonly etag: string;
}

export type NamedPlant = Pick<StoredPlant, 'id' | 'name'>;

/** A line below the header of the table. */
export interface Line {
  readonly index: number;
  readonly row: Row;
  state: LineState;
  edited?: Texts;
  plant?: NewPlant | undefined;
  problem?: Problem | undefined;
  /** The stored plant with the same ID, if it differs. After an update, its previous state. */
  match?: StoredMatch | undefined;
  /** Whether the line, as it is now, was compared with the stored plants. */
  isCompared?: boolean;
  /** The `ETag` of the plant after a run added or updated it. */
  etag?: string;
  /** Whether the line is left out because it looks like a total. */
  isTotal: boolean;
  /** Which other line or stored plant has the same name. */
  warning?: string | undefined;
}

/** How many lines of each group are shown at first, next to other groups. */
const initialRows: Readonly<Record<Group, number>> = {
  problems: 20,
  changes: 20,
  new: 5,
  saved: 5,
  unchanged: 0,
  'left-out': 5,
};
/** The maximum length of a line that can be edited on the page, in characters. */
const maxEditableLength = 10_000;
/** The maximum length of a displayed text, in characters. */
const maxShownLength = 200;
/** The maximum length of a text in a note, in characters. */
const maxQuotedLength = 60;

/** Matches error values of spreadsheets, including translated ones, such as `#N/A`, `#NV`, or `#¡REF!`. */
const errorCell = /^\s*#(?:N\/[AD]|N\.?V|NB|[¡¿]?[\p{Lu}\d_/]{3,20}[!?])\.?\s*$/u;

/** All lines of a table, each with its plant or problem, and its state. */
export class Lines {
  readonly table: Table;
  readonly layout: TableLayout;
  readonly all: readonly Line[];
  /** Which lines the review shows. */
  filter: Filter = 'all';
  /** The limits of the groups for which the person asked to see more lines. */
  readonly #rowLimits = new Map<Group, number>();
  #edited: Line | undefined;
  /** The applied fixes, each with its `fixable` number when it was applied. */
  readonly fixed = new Map<Fix, number>();
  #variants: readonly (Variant & { readonly name: TextName })[] = [];
  /** What the fix `tidy` replaces: new texts by field name, space, and old text. */
  #replacements: ReadonlyMap<string, string> = new Map();
  #storedTags: ReadonlyMap<string, number> | undefined;
  /** Stored plants, by folded name. */
  #storedNames: ReadonlyMap<string, readonly NamedPlant[]> = new Map();

  /** Checks all lines against the contract and each other. */
  constructor(table: Table, layout: TableLayout) {
    this.table = table;
    this.layout = layout;
    const { columns, header } = layout;
    const rows = table.rows.slice(header === undefined ? 0 : header + 1);
    this.all = rows.map((row, index) =>
      this.#check({
        index,
        row,
        state: 'ready',
        isTotal: columns !== undefined && isTotal(row, columns.id, index === rows.length - 1),
      }),
    );
    this.#findDuplicateIds();
  }

  get counts(): View['counts'] {
    const counts = { ...noCounts, all: this.all.length };
    for (const { state, warning } of this.all) {
      counts[state]++;
      if (warning !== undefined) counts['same-name']++;
    }
    for (const [state, group] of Object.entries(groupByState)) counts[group] += counts[state as LineState];
    return counts;
  }

  get fixable(): View['fixable'] {
    const fixable = { generate: 0, separators: 0, decimals: 0, replace: 0 };
    // A fix changes the texts from the file, not those that someone entered.
    for (const { problem, edited } of this.withState('problem'))
      if (problem?.fix !== undefined && problem.fix !== 'tidy' && edited === undefined)
        fixable[problem.fix]++;
    return { ...fixable, tidy: this.#variants.reduce((sum, { count }) => sum + count, 0) };
  }

  *withState(state: LineState): Generator<Line> {
    for (const line of this.all) if (line.state === state) yield line;
  }

  /** Returns the fields of a line: as edited, or as read from the file, with the fixes applied. */
  textsOf({ row, edited }: Line): Texts {
    if (edited !== undefined) return edited;
    const { columns } = this.layout;
    const [text = ''] = row.cells;
    if (columns === undefined) {
      const texts = readJsonTexts(text);
      // If the line cannot be parsed, shows its raw text as the name.
      return Object.values(texts).join('') === '' ? { ...texts, name: text } : texts;
    }
    // A line with a broken quote is a single cell, so this splits it at every delimiter.
    const cells = row.isBroken
      ? text.split(this.table.delimiter ?? ',').map((cell) => cell.replace(/^\s*"|"\s*$/g, ''))
      : row.cells;
    const { id, ...texts } = mapFields((name) => {
      const cell = cells[columns[name] ?? -1] ?? '';
      return name === 'id' ? cell : unguardText(cell);
    });
    // Uses the original texts, so that a file always gets the same IDs, even after its texts are cleaned up.
    const generate = () => String(generateId(this.table.fileName, row.line, texts));
    const read = { id: columns.id === undefined ? generate() : fixId(id, this.fixed, generate), ...texts };
    if (!this.fixed.has('tidy')) return read;
    return mapFields((name) => this.#replacements.get(`${name} ${read[name]}`) ?? read[name]);
  }

  /** Returns the plant to send. Fields without a column keep their stored texts, because an update replaces all fields. */
  toPlant({ plant, match }: Line): NewPlant | undefined {
    const { columns } = this.layout;
    if (columns === undefined || match === undefined || plant === undefined) return plant;
    const kept = textNames.flatMap((name) => {
      const isGiven = columns[name] !== undefined || plant[name] !== undefined;
      return isGiven || match.plant[name] === undefined ? [] : [[name, match.plant[name]]];
    });
    return { ...plant, ...Object.fromEntries(kept) };
  }

  /**
   * Compares a line with the stored plant that has the same ID.
   *
   * @param isReviewed whether the person will review a difference before it is sent; if not, the line becomes a conflict
   */
  compare(line: Line, match: StoredMatch | undefined, isReviewed: boolean): void {
    line.isCompared = true;
    if (match === undefined) return;
    Object.assign(line, { match, problem: undefined });
    const plant = this.toPlant(line);
    // A person cannot see the difference between an empty and an absent text.
    const isSame = textNames.every((name) => (plant?.[name] ?? '') === (match.plant[name] ?? ''));
    if (isSame) line.match = undefined;
    line.state = isSame ? 'replayed' : isReviewed ? 'changed' : 'conflict';
  }

  /** Marks a line that the service rejected. `error` is the error number. */
  reject(line: Line, error: number, reason: string, fields: readonly FieldName[] = []): void {
    Object.assign(line, { state: 'rejected', problem: { reason, fields, error } });
  }

  /** Marks a line whose ID belonged to a deleted plant. */
  retire(line: Line): void {
    const reason = 'A plant with this ID was deleted. Choose another ID, or add deleted plants again.';
    const problem = { reason, error: errors.id_retired.error, fields: ['id'] };
    Object.assign(line, { problem, state: 'retired', match: undefined });
  }

  /** Replaces the texts of a line that has a problem, and checks the line again. */
  edit(index: number, texts: Texts): void {
    const line = this.all[index];
    if (line === undefined || groupByState[line.state] !== 'problems') return;
    this.#edited = Object.assign(line, { edited: texts, match: undefined, isCompared: false });
    this.#check(line);
    this.#findDuplicateIds();
  }

  /** The line that was edited last, and what is still wrong with it. */
  get edited(): View['edited'] {
    return this.#edited && { line: this.#edited.row.line, problem: this.#edited.problem?.reason };
  }

  leaveOut(index: number): void {
    const line = this.all[index];
    if (line && ['problems', 'changes', 'new'].includes(groupByState[line.state])) line.state = 'skipped';
    this.#findDuplicateIds();
  }

  include(indexes: readonly number[]): void {
    for (const line of indexes.flatMap((index) => this.all[index] ?? [])) {
      if (line.state !== 'skipped') continue;
      line.isTotal = false;
      if (line.match !== undefined) line.state = 'changed';
      else this.#check(line);
    }
    this.#findDuplicateIds();
  }

  /**
   * Finds texts that differ from others only in spaces, case, or Unicode composition.
   *
   * @param storedTags the number of stored plants with each tag
   */
  findVariants(storedTags = this.#storedTags): void {
    this.#storedTags = storedTags;
    if (this.layout.columns === undefined) return;
    this.#variants = textNames.flatMap((name) => {
      const texts = this.all.flatMap(({ plant }) => plant?.[name] || []);
      return findVariants(texts, name === 'tag' ? storedTags : undefined).map((each) => ({ ...each, name }));
    });
  }

  /** Applies a fix to all lines that were not edited, or undoes it. */
  toggleFix(fix: Fix): void {
    const before = this.all.map((line) => JSON.stringify(this.textsOf(line)));
    if (!this.fixed.delete(fix)) this.fixed.set(fix, this.fixable[fix]);
    if (fix === 'tidy' && this.fixed.has(fix))
      this.#replacements = new Map(this.#variants.map(({ name, text, to }) => [`${name} ${text}`, to]));
    for (const [index, line] of this.all.entries()) {
      if (JSON.stringify(this.textsOf(line)) === before[index]) continue;
      const { state } = line;
      Object.assign(line, { match: undefined, isCompared: false });
      this.#check(line);
      if (state === 'skipped') line.state = state;
    }
    this.#findDuplicateIds();
  }

  /** Warns about new names that another line or a stored plant also has. Names are compared by `foldName`. */
  findSameNames(stored?: readonly NamedPlant[]): void {
    if (stored !== undefined) this.#storedNames = Map.groupBy(stored, ({ name }) => foldName(name));
    for (const line of this.all) line.warning = undefined;
    const named = this.all.filter(({ plant, state }) => plant && state !== 'repeated' && state !== 'skipped');
    for (const [name, lines] of Map.groupBy(named, ({ plant }) => foldName(plant?.name ?? ''))) {
      for (const line of lines) {
        const { state, plant, match } = line;
        const isNew = state === 'ready' || (state === 'changed' && match?.plant.name !== plant?.name);
        if (!isNew || name === '') continue;
        const holder = this.#storedNames.get(name)?.find(({ id }) => id !== plant?.id);
        const other = lines[0] === line ? lines[1] : lines[0];
        if (holder !== undefined) line.warning = `Plant ${holder.id} already has this name.`;
        else if (other !== undefined) line.warning = `Line ${other.row.line} has the same name.`;
      }
    }
  }

  get notes(): readonly string[] {
    const longIds = this.all.flatMap(({ plant }) =>
      plant && /\d{16}/.test(String(plant.id)) ? [String(plant.id)] : [],
    );
    const changed = this.all.filter(({ state }) => groupByState[state] === 'changes');
    const renamed = changed.filter(
      ({ plant, match }) => !sharesWord(plant?.name ?? '', match?.plant.name ?? ''),
    );
    const [variant] = this.#variants;
    const quote = (text: string) => `“${toVisible(text, maxQuotedLength)}”`;
    return [
      // A spreadsheet rounds every long number in a column, so one other ending rules rounding out.
      ...(this.layout.columns?.id !== undefined &&
      longIds.length > 0 &&
      longIds.every((id) => /^-?\d{15}0+$/.test(id))
        ? [
            `All IDs with more than 15 digits end in zeros (${longIds.length} found). The spreadsheet may have rounded them. Format the column as text, and enter these IDs again.`,
          ]
        : []),
      ...(renamed.length * 2 > changed.length
        ? [
            'Most changed lines have very different names from the saved plants with the same IDs. Check that they are the same plants.',
          ]
        : []),
      ...(variant === undefined
        ? []
        : [
            `Some names or tags differ only in spacing, capitalization, or how accented characters are encoded, such as ${quote(variant.text)} and ${quote(variant.to)}.`,
          ]),
    ];
  }

  show(filter: Filter): void {
    this.filter = filter;
    this.#rowLimits.clear();
  }

  showMore(group: Group): void {
    this.#rowLimits.set(group, this.#limitOf(group) + rowsPerPage);
  }

  #limitOf(group: Group): number {
    const isOnlyGroup = this.filter === group || this.filter === 'same-name';
    return this.#rowLimits.get(group) ?? (isOnlyGroup ? rowsPerPage : initialRows[group]);
  }

  /** Returns the lines that the review shows, by group. If no line matches the filter, first resets the filter to `all`. */
  updateList(): View['list'] {
    const isShown = ({ state, warning }: Line) =>
      this.filter === 'all' ||
      (this.filter === 'same-name' ? warning !== undefined : groupByState[state] === this.filter);
    if (!this.all.some(isShown)) this.show('all');
    const lines = this.all.filter(isShown);
    const listed = groups.map((group) => {
      const groupLines = lines.filter(({ state }) => groupByState[state] === group);
      return {
        group,
        total: groupLines.length,
        rows: groupLines.slice(0, this.#limitOf(group)).map((line) => this.#toRow(line)),
      };
    });
    return listed.filter(({ total }) => total > 0);
  }

  #toRow(line: Line): ShownRow {
    const { index, row, state, match, problem, warning, plant } = line;
    const { columns } = this.layout;
    const texts = this.textsOf(line);
    const show = (text: string) => toVisible(text, maxShownLength);
    // Shows the ID of a valid plant in ASCII digits.
    const shownId = plant === undefined ? texts.id : toAsciiNumber(texts.id);
    const id = columns !== undefined && columns.id === undefined ? '' : shownId;
    const keptText = (name: TextName) =>
      (columns !== undefined && columns[name] === undefined && match?.plant[name]) || '';
    const wrong = problem?.fields ?? [];
    const isProblem = groupByState[state] === 'problems';
    const isEditable = isProblem && Object.values(texts).join('').length <= maxEditableLength;
    return {
      index,
      line: row.line,
      state,
      warning,
      ...mapFields((name) => show(name === 'id' ? id : texts[name] || keptText(name))),
      before: match && mapFields((name) => show(name === 'id' ? id : (match.plant[name] ?? ''))),
      problem: isProblem ? problem?.reason : line.isTotal ? 'This line looks like a total.' : undefined,
      editing: isEditable
        ? { texts, wrong, freeId: wrong.includes('id') ? this.#findFreeId(line, texts) : undefined }
        : undefined,
    };
  }

  /** Generates an ID for the line that differs from its current ID. It is almost certainly unused. */
  #findFreeId({ row }: Line, { id, ...texts }: Texts): string {
    const { fileName = '' } = this.table;
    const free = String(generateId(fileName, row.line, texts));
    return free === id ? String(generateId(`${fileName} again`, row.line, texts)) : free;
  }

  /** Reads a line, and sets its plant or problem, and its state. Returns the line. */
  #check(line: Line): Line {
    const read = this.#read(line);
    line.plant = 'plant' in read ? read.plant : undefined;
    line.problem = 'plant' in read ? undefined : read;
    line.state = line.isTotal ? 'skipped' : 'plant' in read ? 'ready' : 'problem';
    return line;
  }

  #read(line: Line): PlantOrProblem {
    const { row, edited } = line;
    const { columns, header } = this.layout;
    if (edited !== undefined) return readPlantTexts(edited);
    if (columns === undefined) return readPlantJson(row.cells[0] ?? '');
    if (row.isBroken) return { reason: unclosedQuote, fields: [] };
    if (row.cells.slice(columns.count).some((cell) => cell.trim() !== ''))
      return { reason: this.table.sheet ? strayCell : tooManyCells, fields: [] };
    const titles = this.table.rows[header ?? -1]?.cells ?? [];
    const resource = row.cells[titles.findIndex((title) => title.trim() === 'resource')];
    return findOtherResource(resource) ?? this.#findDamage(row) ?? readPlantTexts(this.textsOf(line));
  }

  /** Finds an imported cell whose value the spreadsheet rounded or replaced with an error. */
  #findDamage({ cells, rounded }: Row): Problem | undefined {
    for (const field of fieldNames) {
      const column = this.layout.columns?.[field] ?? -1;
      const reason = rounded?.includes(column)
        ? 'contains a number that the spreadsheet may have rounded. Format the cell as text, and enter the number again.'
        : errorCell.test(cells[column] ?? '') && 'contains a spreadsheet error. Enter the correct value.';
      if (reason) return { reason: `The ${labelInSentence(field)} ${reason}`, fields: [field] };
    }
    return undefined;
  }

  /**
   * Marks lines that have the same ID as another line: as `repeated` if the plants are equal, or else as a problem. Clears marks that no
   * longer apply.
   */
  #findDuplicateIds(): void {
    const firsts = new Map<bigint, Line>();
    const isDone = ({ state }: Line) => ['stored', 'updated', 'replayed', 'kept'].includes(state);
    for (const line of this.all) if (line.plant && isDone(line)) firsts.set(line.plant.id, line);
    for (const line of this.all) {
      const { plant, state } = line;
      if (plant === undefined || isDone(line) || ['skipped', 'rejected', 'retired'].includes(state)) continue;
      const first = firsts.get(plant.id);
      if (first?.plant === undefined) {
        firsts.set(plant.id, line);
        if (state === 'repeated' || state === 'problem')
          Object.assign(line, { state: 'ready', problem: undefined });
      } else if (hasSameTexts(first.plant, plant))
        Object.assign(line, { state: 'repeated', problem: undefined });
      else {
        const problem = { reason: `Line ${first.row.line} has the same ID.`, fields: ['id'] };
        Object.assign(line, { state: 'problem', problem });
      }
    }
  }
}

const unclosedQuote =
  'A cell starts with a double quote that is never closed. Close the quote, or double it if it is part of the text.';
const strayCell =
  'This line has data to the right of the last column header. Clear those cells, or give the column a header.';
const tooManyCells =
  'This line has more cells than there are column headers. If a cell contains the separator, put the cell in double quotes.';

/** Folds a name as a search does: ignores case and Unicode composition, but not accents. Also normalizes white space. */
const foldName = (name: string) => foldText(name).replace(/\s+/g, ' ').trim();

const wordsOf = (text: string) => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));

function sharesWord(one: string, other: string): boolean {
  const others = wordsOf(other);
  return [...wordsOf(one)].some((word) => others.has(word));
}
