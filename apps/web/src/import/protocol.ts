import type { ByField, FieldName, Texts } from '../shared/fields.js';

/**
 * The columns of the fields, from 0 on; `undefined` where there is none. Without a column of ids, each line gets an id that is
 * made from the name of the file, the number of the line, and its plant.
 */
export type ColumnChoice = ByField<number | undefined>;

/** What the person gave: a file, or text that they pasted. */
export type Source = { readonly file: File } | { readonly text: string };

/** The encodings of texts that are not in Unicode, as `TextDecoder` names them, and where they come from. */
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

/** What the person has chosen instead of what was guessed: a sheet of a workbook by its name, or the encoding of a text. */
export interface ReadAs {
  readonly sheet?: string;
  readonly encoding?: LegacyEncoding;
}

/**
 * What can be done at once to all ids that are missing: to generate them; or that cannot be read: to leave out what separates digits
 * (`1.001`), or decimals that are zero (`7.0`), or to generate others in their place; or to names and tags that differ from others only in
 * spaces, case, or composition: to write them alike.
 */
export const fixes = ['generate', 'separators', 'decimals', 'replace', 'tidy'] as const;
export type Fix = (typeof fixes)[number];

/** Where plants are stored, and with which token. */
export interface Target {
  readonly baseUrl: string;
  readonly token: string;
}

/** What a run does: adds and updates plants, does that and reuses the ids of deleted plants, or undoes what it has added and updated. */
export type Task = 'add' | 'reuse' | 'undo';

/** What became of a line so far, with the group in which a review shows it. */
export const groupsOfStates = {
  problem: 'problems',
  /** The service has rejected it. */
  rejected: 'problems',
  /** Its id is that of a deleted plant. */
  retired: 'problems',
  changed: 'changes',
  /** As `changed`, but a run has found that somebody else has changed the plant since the review. */
  conflict: 'changes',
  ready: 'new',
  stored: 'saved',
  updated: 'saved',
  /** The same plant is stored already. */
  replayed: 'unchanged',
  /** Another line has the same plant. */
  repeated: 'unchanged',
  /** An undo has left its plant, since somebody else has changed it. */
  kept: 'unchanged',
  skipped: 'left-out',
} as const;
export type LineState = keyof typeof groupsOfStates;

/** The groups of a review, in their order. */
export const groups = ['problems', 'changes', 'new', 'saved', 'unchanged', 'left-out'] as const;
export type Group = (typeof groups)[number];

/** What a review shows: all groups, one of them, or the lines whose name another line or a stored plant has, too. */
export const filters = ['all', ...groups, 'same-name'] as const;
export type Filter = (typeof filters)[number];

/** How many lines there are, by their states and by filters: none. */
export const noCounts = Object.fromEntries(
  [...Object.keys(groupsOfStates), ...filters].map((name) => [name, 0]),
) as Record<LineState | Filter, number>;

/** What the page asks of the worker. A header is a row, from 0 on, and a line its index among those below. */
export interface Requests {
  read(source: Source, readAs: ReadAs): void;
  /** Recognizes the columns again, with a row as their titles, or without any. */
  recognize(header: number | undefined): void;
  /** Reads plants from the lines below a row, and compares them. */
  check(header: number | undefined, columns: ColumnChoice): void;
  /** Compares the lines with what is stored, and shows them. */
  compare(): void;
  change(change: Change): void;
  /** Begins a task, by default the one that has stopped. */
  run(task?: Task): void;
  cancel(): void;
  /** Takes the token of the page, `undefined` for none, and goes on with what only waits for it. */
  useToken(target: Target | undefined): void;
  download(): void;
}
export type Request = CallOf<Requests>;

/** What is done to lines, and what is shown of them. */
interface Changes {
  edit(line: number, texts: Texts): void;
  leaveOut(line: number): void;
  include(lines: readonly number[]): void;
  /** Applies a fix to all lines, or takes it back. */
  toggleFix(fix: Fix): void;
  show(filter: Filter): void;
  showMore(group: Group): void;
}
export type Change = CallOf<Changes>;

/** The name of a method, and what it is called with. */
type CallOf<Methods> = {
  [Name in keyof Methods]: Methods[Name] extends (...given: infer Given) => unknown
    ? readonly [Name, ...Given]
    : never;
}[keyof Methods];

/** What the worker reports: what the page shows from now on, as far as it changes, or what happened. */
export type Report =
  | { readonly type: 'view'; readonly view: Partial<View> }
  /** The service rejects the token. */
  | { readonly type: 'rejected'; readonly token: string; readonly message: string }
  | { readonly type: 'download'; readonly file: Blob; readonly fileName: string }
  | { readonly type: 'failed'; readonly message: string };

export interface View {
  readonly step: 'source' | 'reading' | 'columns' | 'review' | 'run';
  /** Why there is nothing to show, and what to do. */
  readonly problem: string | undefined;
  /** How far the comparison with what is stored is, from 0 to 1. */
  readonly fraction: number | undefined;
  readonly preview: Preview | undefined;
  readonly notes: readonly string[];
  /** The lines that look like totals, and are left out. */
  readonly totals: readonly { readonly index: number; readonly line: number }[];
  readonly counts: Readonly<typeof noCounts>;
  /** How many of the problems each fix can solve, and how many texts can be tidied. */
  readonly fixable: Readonly<Record<Fix, number>>;
  /** The fixes that are applied, with what each was offered for. */
  readonly fixed: ReadonlyMap<Fix, number>;
  /** The first lines of each group that the filter shows. */
  readonly list: readonly { readonly group: Group; readonly total: number; readonly rows: readonly Row[] }[];
  readonly filter: Filter;
  /** Why the lines are not compared with what is stored, if they are not. */
  readonly uncompared: Stop | undefined;
  /** The line that was edited last, and what is still wrong with it. */
  readonly edited: { readonly line: number; readonly problem: string | undefined } | undefined;
  /** `undefined` until a run was started: there is one in the step `run`. */
  readonly progress: Progress | undefined;
}

/** What was read from a file or a pasted text. */
export interface Preview {
  /** `undefined` for a pasted text. */
  readonly fileName: string | undefined;
  /** What the person should know of the file, such as what is hidden in a sheet. */
  readonly notes: readonly string[];
  /** The sheets of a workbook, and the one that was read. */
  readonly sheets: { readonly names: readonly string[]; readonly chosen: string } | undefined;
  /** How a text was read that is not in Unicode: it may be another one. */
  readonly encoding: LegacyEncoding | undefined;
  /** `undefined` for objects, which name the fields themselves. */
  readonly columns: ColumnsPreview | undefined;
}

/** The columns of a table, and which of them are the fields. */
export interface ColumnsPreview {
  /** The row with the titles. What is above is not imported. */
  readonly header: number | undefined;
  /** The first rows, for the person to choose the header from. */
  readonly firstRows: readonly { readonly row: number; readonly line: number; readonly cells: string[] }[];
  /** Those with anything in them, with their places from 0 on. */
  readonly columns: readonly {
    readonly column: number;
    readonly title: string;
    readonly samples: readonly string[];
  }[];
  readonly choice: ColumnChoice;
}

/** A line, with texts that may be cut off, for showing only. */
export interface Row extends Texts {
  readonly index: number;
  readonly line: number;
  readonly state: LineState;
  /** What is stored, where the line has something else. */
  readonly before: Texts | undefined;
  readonly problem: string | undefined;
  /** What another line or a stored plant has in common with it. */
  readonly warning: string | undefined;
  /** Of a line with a problem that can be solved on the page: its exact texts, what is wrong, and an id that is free, if it needs one. */
  readonly editing:
    | { readonly texts: Texts; readonly wrong: readonly FieldName[]; readonly freeId: string | undefined }
    | undefined;
}

export interface Progress {
  readonly task: Task;
  readonly state: 'running' | 'stopped' | 'ended';
  /** Why it has stopped; `undefined` when the person has cancelled it. */
  readonly stop: Stop | undefined;
  /** While it runs: why it has to try again or wait, if it does, for the person. */
  readonly retrying: string | undefined;
  /** Of the plants to send, those with a result, and all. */
  readonly done: number;
  readonly total: number;
  /** Plants that an undo has made what they were; it deletes the others. */
  readonly restored: number;
}

/** Something that is not about one plant, and keeps all from being stored. */
export interface Stop {
  /** After an outage a run resumes automatically, and so never shows that. */
  readonly cause: 'token' | 'outage' | 'other';
  readonly message: string;
}
