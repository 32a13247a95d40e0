import type { ByField, FieldName, Texts } from '../shared/fields.js';

/**
 * The column of each field, from 0; `undefined` if it has none. Without an ID column, IDs are generated from the file name, the line
 * number, and the plant.
 */
export type ColumnChoice = ByField<number | undefined>;

export type Source = { readonly file: File } | { readonly text: string };

/** The encodings of non-Unicode texts by their `TextDecoder` labels, with the names that the page shows. */
export const legacyEncodings = {
  'windows-1252': 'Windows, Western Europe (1252)',
  'windows-1250': 'Windows, Central Europe (1250)',
  'windows-1251': 'Windows, Cyrillic (1251)',
  'windows-1253': 'Windows, Greek (1253)',
  'windows-1254': 'Windows, Turkish (1254)',
  macintosh: 'Mac, Western Europe (Mac Roman)',
  shift_jis: 'Japanese (Shift_JIS)',
  gbk: 'Chinese, simplified (GBK)',
  big5: 'Chinese, traditional (Big5)',
  'euc-kr': 'Korean (EUC-KR)',
} as const;
export type LegacyEncoding = keyof typeof legacyEncodings;

/** Choices of the person that override the guesses: a sheet of a workbook by name, or the encoding of a text. */
export interface ReadAs {
  readonly sheet?: string;
  readonly encoding?: LegacyEncoding;
}

/**
 * Fixes that apply to all lines at once:
 * - `generate`: generate missing IDs.
 * - `separators`: remove the separators of IDs such as `1.001`.
 * - `decimals`: remove the zero decimals of IDs such as `7.0`.
 * - `replace`: generate new IDs in place of unreadable ones.
 * - `tidy`: use the same form for names and tags that differ only in spaces, case, or Unicode composition.
 */
export const fixes = ['generate', 'separators', 'decimals', 'replace', 'tidy'] as const;
export type Fix = (typeof fixes)[number];

/** The service that stores the plants, and the token. */
export interface Target {
  readonly baseUrl: string;
  readonly token: string;
}

/** What a run does. `add` adds and updates plants, `reuse` also reuses the IDs of deleted plants, and `undo` undoes an import. */
export type Task = 'add' | 'reuse' | 'undo';

/** The states of a line, with the group that shows each in the review. */
export const groupsOfStates = {
  problem: 'problems',
  /** The service has rejected it. */
  rejected: 'problems',
  /** Its ID belonged to a deleted plant. */
  retired: 'problems',
  changed: 'changes',
  /** Like `changed`, but someone else changed the plant after the review. */
  conflict: 'changes',
  ready: 'new',
  stored: 'saved',
  updated: 'saved',
  /** The same plant was already stored. */
  replayed: 'unchanged',
  /** Another line has the same plant. */
  repeated: 'unchanged',
  /** An undo skipped its plant, because someone else changed it. */
  kept: 'unchanged',
  skipped: 'left-out',
} as const;
export type LineState = keyof typeof groupsOfStates;

export const groups = ['problems', 'changes', 'new', 'saved', 'unchanged', 'left-out'] as const;
export type Group = (typeof groups)[number];

/** The number of lines that a group shows, or shows more, at a time. */
export const rowsPerPage = 50;

/** What a review shows: all groups, one group, or the lines whose name another line or a stored plant has. */
export const filters = ['all', ...groups, 'same-name'] as const;
export type Filter = (typeof filters)[number];

/** The counts of lines by state and by filter, all zero. */
export const noCounts = Object.fromEntries(
  [...Object.keys(groupsOfStates), ...filters].map((name) => [name, 0]),
) as Record<LineState | Filter, number>;

/** The requests of the page to the worker. `header` is a row number from 0, and a line is an index into the rows below it. */
export interface Requests {
  read(source: Source, readAs: ReadAs): void;
  /** Recognizes the columns again, with another header or none. */
  recognize(header: number | undefined): void;
  /** Reads plants from the lines below a row, and compares them. */
  check(header: number | undefined, columns: ColumnChoice): void;
  /** Compares the lines with the stored plants, and shows them. */
  compare(): void;
  change(change: Change): void;
  /** Starts a task, by default the one that stopped. */
  run(task?: Task): void;
  cancel(): void;
  /** Sets the token of the page, `undefined` for none. Work that waits for a token resumes. */
  useToken(target: Target | undefined): void;
  download(): void;
}
export type Request = CallOf<Requests>;

/** The requests that change lines, or which of them are shown. */
interface Changes {
  edit(line: number, texts: Texts): void;
  leaveOut(line: number): void;
  include(lines: readonly number[]): void;
  /** Applies a fix to all lines, or undoes it. */
  toggleFix(fix: Fix): void;
  show(filter: Filter): void;
  showMore(group: Group): void;
}
export type Change = CallOf<Changes>;

/** A method name with its arguments. */
type CallOf<Methods> = {
  [Name in keyof Methods]: Methods[Name] extends (...args: infer Args) => unknown
    ? readonly [Name, ...Args]
    : never;
}[keyof Methods];

/** A report of the worker: what changed in the view, or an event. */
export type Report =
  | { readonly type: 'view'; readonly view: Partial<View> }
  /** The service rejects the token. */
  | { readonly type: 'rejected'; readonly token: string; readonly message: string }
  | { readonly type: 'download'; readonly file: Blob; readonly fileName: string }
  | { readonly type: 'failed'; readonly message: string };

export interface View {
  readonly step: 'source' | 'reading' | 'columns' | 'review' | 'run';
  /** Why the source cannot be imported, and what to do. */
  readonly problem: string | undefined;
  /** The progress of the comparison with stored plants, from 0 to 1. */
  readonly fraction: number | undefined;
  readonly preview: Preview | undefined;
  readonly notes: readonly string[];
  /** The lines that are left out because they look like totals. */
  readonly totals: readonly { readonly index: number; readonly line: number }[];
  readonly counts: Readonly<typeof noCounts>;
  /** The number of problems that each fix can solve, or of values that `tidy` changes. */
  readonly fixable: Readonly<Record<Fix, number>>;
  /** The applied fixes, each with the number of problems that it was offered for. */
  readonly fixed: ReadonlyMap<Fix, number>;
  /** The first lines of each group that the filter shows. */
  readonly list: readonly { readonly group: Group; readonly total: number; readonly rows: readonly Row[] }[];
  readonly filter: Filter;
  /** Why the lines were not compared with stored plants, if they were not. */
  readonly uncompared: Stop | undefined;
  /** The line that was edited last, and what is still wrong with it. */
  readonly edited: { readonly line: number; readonly problem: string | undefined } | undefined;
  /** `undefined` until a run is started; always set in the step `run`. */
  readonly progress: Progress | undefined;
}

/** What was read from a file or a pasted text. */
export interface Preview {
  /** `undefined` for a pasted text. */
  readonly fileName: string | undefined;
  /** What the person should know about the file, such as hidden parts of a sheet. */
  readonly notes: readonly string[];
  /** The sheets of a workbook, and the one that was read. */
  readonly sheets: { readonly names: readonly string[]; readonly chosen: string } | undefined;
  /** The guessed encoding of a non-Unicode text. */
  readonly encoding: LegacyEncoding | undefined;
  /** `undefined` for objects, which name the fields themselves. */
  readonly columns: ColumnsPreview | undefined;
}

/** The columns of a table, and which of them are the fields. */
export interface ColumnsPreview {
  /** The header row. Rows above it are not imported. */
  readonly header: number | undefined;
  /** The first rows. The user can choose the header from them. */
  readonly firstRows: readonly { readonly row: number; readonly line: number; readonly cells: string[] }[];
  /** The nonempty columns, with their indexes from 0. */
  readonly columns: readonly {
    readonly column: number;
    readonly title: string;
    readonly samples: readonly string[];
  }[];
  readonly choice: ColumnChoice;
}

/** A line for display. Its texts may be truncated. */
export interface Row extends Texts {
  readonly index: number;
  readonly line: number;
  readonly state: LineState;
  /** The stored plant, if the line differs. */
  readonly before: Texts | undefined;
  readonly problem: string | undefined;
  /** Which other line or stored plant has the same name. */
  readonly warning: string | undefined;
  /** For a problem that can be fixed on the page: the exact texts, the wrong fields, and an unused ID if the line needs one. */
  readonly editing:
    | { readonly texts: Texts; readonly wrong: readonly FieldName[]; readonly freeId: string | undefined }
    | undefined;
}

export interface Progress {
  readonly task: Task;
  readonly state: 'running' | 'stopped' | 'ended';
  /** Why it stopped; `undefined` if the person canceled it. */
  readonly stop: Stop | undefined;
  /** While it runs: a sentence about why it retries or waits, if it does. */
  readonly retrying: string | undefined;
  /** The number of plants that have a result. */
  readonly done: number;
  /** The number of plants to send. */
  readonly total: number;
  /** The number of plants that an undo restored. It deletes the others. */
  readonly restored: number;
}

/** Why no plant can be stored, as opposed to a problem of one plant. */
export interface Stop {
  /** A run never stops because of an `outage`, because it resumes automatically. */
  readonly cause: 'token' | 'outage' | 'other';
  readonly message: string;
}
