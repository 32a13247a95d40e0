import type { ByField, FieldName, Texts } from '../shared/fields.js';

/**
 * The column index of each field, from 0; `undefined` if no column has the field. Without an ID column, each ID is generated from the file
 * name, the line number, and the plant's texts.
 */
export type ColumnChoice = ByField<number | undefined>;

export type Source = { readonly file: File } | { readonly text: string };

/** Encodings other than Unicode: the `TextDecoder` label of each, and the name that the page shows. */
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

/** The person's choices, which override the guesses: the name of a workbook's sheet, or the encoding of a text file. */
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

/** What a run does: `add` adds and updates plants, `reuse` also reuses the IDs of deleted plants, and `undo` undoes an import. */
export type Task = 'add' | 'reuse' | 'undo';

/** The states of a line, each with the group in which the review shows it. */
export const groupByState = {
  problem: 'problems',
  /** The service rejected the line. */
  rejected: 'problems',
  /** The line has the ID of a deleted plant. */
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
  /** An undo skipped the plant, because someone else changed it. */
  kept: 'unchanged',
  skipped: 'left-out',
} as const;
export type LineState = keyof typeof groupByState;

export const groups = ['problems', 'changes', 'new', 'saved', 'unchanged', 'left-out'] as const;
export type Group = (typeof groups)[number];

/** How many lines a group shows at first when it is the only one, and how many more it shows at a time. */
export const rowsPerPage = 50;

/** What a review shows: all groups, one group, or the lines with the same name as another line or a stored plant. */
export const filters = ['all', ...groups, 'same-name'] as const;
export type Filter = (typeof filters)[number];

/** The counts of lines by state and by filter, all zero. */
export const noCounts = Object.fromEntries(
  [...Object.keys(groupByState), ...filters].map((name) => [name, 0]),
) as Record<LineState | Filter, number>;

/** The page's requests to the worker. `header` is a row index from 0. A `line` is an index into the rows below the header. */
export interface Requests {
  read(source: Source, readAs: ReadAs): void;
  /** Recognizes the columns again, with another header or none. */
  recognize(header: number | undefined): void;
  /** Reads plants from the lines below the header, and compares them with the stored plants. */
  check(header: number | undefined, columns: ColumnChoice): void;
  /** Compares the lines with the stored plants, and shows the review. */
  compare(): void;
  change(change: Change): void;
  /** Starts a task, by default the one that stopped. */
  run(task?: Task): void;
  cancel(): void;
  /** Sets the service and the token to use; `undefined` if there is no token. Work that waits for a token resumes. */
  setTarget(target: Target | undefined): void;
  download(): void;
}
export type Request = CallOf<Requests>;

/** Requests that change lines, or which of them are shown. */
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

/** A report from the worker: what changed in the view, or an event. */
export type Report =
  | { readonly type: 'view'; readonly view: Partial<View> }
  /** The service rejected the token. */
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
  /** How many lines each fix would correct; for `tidy`, how many values it would change. */
  readonly fixable: Readonly<Record<Fix, number>>;
  /** The applied fixes, each with its `fixable` number when it was applied. */
  readonly fixed: ReadonlyMap<Fix, number>;
  /** The first lines of each group that the filter shows. */
  readonly list: readonly { readonly group: Group; readonly total: number; readonly rows: readonly Row[] }[];
  readonly filter: Filter;
  /** Why the comparison with the stored plants failed, if it did. */
  readonly comparisonFailure: StopReason | undefined;
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
  /** The guessed encoding of a text that is not Unicode. */
  readonly encoding: LegacyEncoding | undefined;
  /** `undefined` for JSON objects, which name the fields themselves. */
  readonly columns: ColumnsPreview | undefined;
}

/** The columns of a table, and the column chosen for each field. */
export interface ColumnsPreview {
  /** The header row, from 0; `undefined` if there is none. Rows above it are not imported. */
  readonly header: number | undefined;
  /** The first rows. One of them can be chosen as the header. */
  readonly firstRows: readonly { readonly row: number; readonly line: number; readonly cells: string[] }[];
  /** The nonempty columns, with their indexes from 0. */
  readonly columns: readonly {
    readonly column: number;
    readonly title: string;
    readonly samples: readonly string[];
  }[];
  readonly choice: ColumnChoice;
}

/** A line as the page shows it. Long texts are truncated. */
export interface Row extends Texts {
  readonly index: number;
  readonly line: number;
  readonly state: LineState;
  /** The stored plant's fields, if the line differs from them. */
  readonly before: Texts | undefined;
  readonly problem: string | undefined;
  /** Which other line or stored plant has the same name. */
  readonly warning: string | undefined;
  /** For a problem that can be fixed on the page: the exact texts, the wrong fields, and a new ID to offer if the ID is wrong. */
  readonly editing:
    | { readonly texts: Texts; readonly wrong: readonly FieldName[]; readonly freeId: string | undefined }
    | undefined;
}

export interface Progress {
  readonly task: Task;
  readonly state: 'running' | 'stopped' | 'ended';
  /** Why the run stopped; `undefined` if the person canceled it. */
  readonly stopReason: StopReason | undefined;
  /** While a run retries or waits: a sentence that says why. */
  readonly retrying: string | undefined;
  /** The number of plants that have a result. */
  readonly done: number;
  /** The number of plants to send. */
  readonly total: number;
  /** The number of updated plants that an undo restored. Added plants are deleted instead. */
  readonly restored: number;
}

/** Why a run or a comparison cannot continue: something that affects all plants, unlike a line's problem. */
export interface StopReason {
  /** A run never stops because of an `outage`, because it resumes automatically. */
  readonly cause: 'token' | 'outage' | 'other';
  readonly message: string;
}
