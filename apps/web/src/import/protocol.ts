import type { ByField, Texts } from '../shared/fields.js';

/**
 * The columns of the fields, from 0 on; `undefined` where there is none. Without a column of ids, each line gets an id that is
 * made from the name of the file, the number of the line, and its plant.
 */
export type ColumnChoice = ByField<number | undefined>;

/** Which lines a page of the list shows, in the order in which they are offered. */
export const filters = ['all', 'problems', 'changed', 'ready', 'replayed', 'retired', 'skipped'] as const;
export type Filter = (typeof filters)[number];

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

/** What the page asks of the worker. A header is that of a record, from 0 on; `undefined` where there is none. */
export type Command =
  | { readonly type: 'read'; readonly source: Source; readonly readAs?: ReadAs }
  | { readonly type: 'recognize'; readonly header: number | undefined }
  | { readonly type: 'check'; readonly header: number | undefined; readonly columns: ColumnChoice }
  | { readonly type: 'fix'; readonly fixes: readonly Fix[] }
  | ({ readonly type: 'compare' } & Target)
  | { readonly type: 'list'; readonly filter: Filter; readonly offset: number }
  | { readonly type: 'review'; readonly filter: Filter }
  | { readonly type: 'edit'; readonly record: number; readonly texts: Texts }
  | { readonly type: 'skip'; readonly record: number; readonly skips: boolean }
  | ({ readonly type: 'run'; readonly task: Task } & Target)
  | { readonly type: 'cancel' | 'forget-token' | 'download' };

/** What is done to lines before the review. */
export type ReadingStep = 'read' | 'check' | 'compare';

/** What the worker reports. */
export type Report =
  | { readonly type: 'reading'; readonly step: ReadingStep; readonly fraction: number }
  | { readonly type: 'unreadable'; readonly message: string }
  | { readonly type: 'read'; readonly preview: Preview }
  | {
      readonly type: 'checked';
      readonly notes: readonly string[];
      readonly counts: Counts;
      readonly list: List;
    }
  | {
      readonly type: 'compared';
      readonly notes: readonly string[];
      readonly counts: Counts;
      readonly list: List;
      /** Why lines were not compared with what is stored, if they were not. */
      readonly failure: Stop | undefined;
    }
  | { readonly type: 'list'; readonly counts: Counts; readonly list: List }
  | { readonly type: 'edited'; readonly line: number; readonly problem: string | undefined }
  | { readonly type: 'progress'; readonly progress: Progress; readonly counts: Counts }
  | { readonly type: 'download'; readonly file: Blob; readonly fileName: string }
  | { readonly type: 'failed'; readonly message: string };

/** What was read from a file or a pasted text. */
export interface Preview {
  /** `undefined` for a pasted text. */
  readonly fileName: string | undefined;
  /** Such as `CSV`, with the name of the sheet for a workbook. */
  readonly format: string;
  /** What the person should know, such as what is hidden in a sheet. */
  readonly notes: readonly string[];
  /** The sheets of a workbook, and the one that was read. */
  readonly sheets: { readonly names: readonly string[]; readonly chosen: string } | undefined;
  /** How a text was read that is not in Unicode: it may be another one. */
  readonly encoding: LegacyEncoding | undefined;
  /** `undefined` for NDJSON, whose lines name the fields themselves. */
  readonly columns: ColumnsPreview | undefined;
}

/** The columns of a table, and which of them are the fields. */
export interface ColumnsPreview {
  /** The record with the titles. What is above is not imported. */
  readonly header: number | undefined;
  /** The first records, for the person to choose the header from. */
  readonly firstRows: readonly { readonly record: number; readonly line: number; readonly cells: string[] }[];
  /** Those with anything in them. */
  readonly columns: readonly ColumnPreview[];
  readonly choice: ColumnChoice;
}

interface ColumnPreview {
  /** Its place, from 0 on. */
  readonly column: number;
  readonly title: string;
  readonly samples: readonly string[];
}

/** How many lines there are of each kind. */
export interface Counts {
  readonly lines: number;
  /** Plants that can be added: as far as it is known, nothing is stored under their ids. */
  readonly ready: number;
  /** Plants that can be updated: another state of them is stored, which the person can review. */
  readonly changed: number;
  /** Plants that somebody else has changed since the review, which the person has not seen. */
  readonly conflicts: number;
  /** Plants whose id is that of a deleted plant. */
  readonly retired: number;
  /** Changed plants that the person leaves out. */
  readonly skipped: number;
  /** Lines that cannot be sent, or were rejected. */
  readonly problems: number;
  readonly stored: number;
  readonly updated: number;
  /** Unchanged: the same plant is stored already. */
  readonly replayed: number;
  /** Stored, and the same plant as another line of the file. */
  readonly repeated: number;
  /** Lines with the same plant as an earlier line. */
  readonly duplicates: number;
  /** How many of the problems each fix can solve, and how many texts can be tidied. */
  readonly fixable: Readonly<Record<Fix, number>>;
}

/** A part of the lines that a filter shows: at most `listLength` from the offset on. */
export interface List {
  readonly filter: Filter;
  readonly offset: number;
  readonly total: number;
  readonly rows: readonly Row[];
}

/** How many lines a page of the list shows. */
export const listLength = 50;

export type RowState =
  | 'ready'
  | 'changed'
  | 'conflict'
  | 'skipped'
  | 'stored'
  | 'updated'
  | 'replayed'
  | 'repeated'
  | 'kept'
  | 'problem';

/** A line, with texts that may be cut off, for showing only. */
export interface Row extends Texts {
  readonly record: number;
  readonly line: number;
  readonly state: RowState;
  /** What is stored, where the line has something else. */
  readonly before: Texts | undefined;
  readonly problem: string | undefined;
  /** The exact texts of a line with a problem, unless they are too long to edit on the page. */
  readonly editable: Texts | undefined;
}

/** Why the service has rejected a line. */
export interface Rejection {
  readonly line: number;
  readonly reason: string;
}

/** How far a run is. */
export interface Progress {
  readonly task: Task;
  /** How many `run` commands it takes into account: it shows nothing about the token of a later one. */
  readonly runs: number;
  readonly state: 'running' | 'stopped' | 'ended';
  /** Why it has stopped by itself; `undefined` when the person has cancelled it. */
  readonly stop: Stop | undefined;
  /** While it runs: why it has to try again or wait, if it does, for the person. */
  readonly retrying: string | undefined;
  /** Of the plants to send, those with a result, and all. */
  readonly done: number;
  readonly total: number;
  /** Plants that the service has rejected. */
  readonly rejected: number;
  /** The first of them. */
  readonly rejections: readonly Rejection[];
  /** Plants that an undo has left, since they were changed after the import. */
  readonly kept: number;
  /** Plants that an undo has made what they were; it deletes the others. */
  readonly restored: number;
}

/** Something that is not about one plant, and keeps all from being stored. */
export interface Stop {
  /** After an outage it goes on by itself, and so never shows that. */
  readonly cause: 'token' | 'outage' | 'other';
  /** What happened, for the person. */
  readonly message: string;
}
