import type { ByField, Texts } from '../shared/fields.js';

/**
 * The columns of the fields, from 0 on; `undefined` where there is none. Without a column of ids, each line gets an id that is
 * made from the name of the file, the number of the line, and its plant.
 */
export type ColumnChoice = ByField<number | undefined>;

/** Which lines a page of the list shows: all, those that can be sent, or those with a problem. */
export type Filter = 'all' | 'ready' | 'problems';

/** What the person gave: a file, or text that they pasted. */
export type Source = { readonly file: File } | { readonly text: string };

/** What the page asks of the worker. */
export type Command =
  | { readonly type: 'read'; readonly source: Source }
  | { readonly type: 'recognize'; readonly hasHeader: boolean }
  | { readonly type: 'check'; readonly hasHeader: boolean; readonly columns: ColumnChoice }
  | { readonly type: 'list'; readonly filter: Filter; readonly offset: number }
  | { readonly type: 'correct'; readonly record: number; readonly texts: Texts }
  | { readonly type: 'run'; readonly baseUrl: string; readonly token: string; readonly reusesIds: boolean }
  | { readonly type: 'cancel' | 'forget-token' | 'download' };

/** What the worker reports. */
export type Report =
  | { readonly type: 'reading'; readonly step: 'read' | 'check'; readonly fraction: number }
  | { readonly type: 'unreadable'; readonly message: string }
  | { readonly type: 'read'; readonly preview: Preview }
  | {
      readonly type: 'checked';
      readonly notes: readonly string[];
      readonly counts: Counts;
      readonly list: List;
    }
  | { readonly type: 'list'; readonly counts: Counts; readonly list: List }
  | { readonly type: 'corrected'; readonly line: number; readonly problem: string | undefined }
  | { readonly type: 'progress'; readonly progress: Progress; readonly counts: Counts }
  | { readonly type: 'download'; readonly file: Blob; readonly fileName: string }
  | { readonly type: 'failed'; readonly message: string };

/** What was read from a file or a pasted text. */
export interface Preview {
  /** `undefined` for a pasted text. */
  readonly fileName: string | undefined;
  /** Such as `CSV`, with the name of the sheet for a workbook. */
  readonly format: string;
  /** What the person should know, such as an encoding that had to be guessed. */
  readonly notes: readonly string[];
  /** `undefined` for NDJSON, whose lines name the fields themselves. */
  readonly columns: ColumnsPreview | undefined;
}

/** The columns of a table, and which of them are the fields. */
export interface ColumnsPreview {
  readonly hasHeader: boolean;
  readonly columns: readonly { readonly title: string; readonly samples: readonly string[] }[];
  readonly choice: ColumnChoice;
}

/** How many lines there are of each kind. */
export interface Counts {
  readonly lines: number;
  /** Plants that can be sent. */
  readonly ready: number;
  readonly problems: number;
  readonly stored: number;
  /** Stored before: the same plant was there already. */
  readonly replayed: number;
  /** Lines with the same plant as an earlier line. */
  readonly duplicates: number;
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

/** A line, with texts that may be cut off, for showing only. */
export interface Row extends Texts {
  readonly record: number;
  readonly line: number;
  readonly state: 'ready' | 'stored' | 'replayed' | 'problem';
  readonly problem: string | undefined;
  /** The exact texts of a line with a problem, unless they are too long to correct on the page. */
  readonly correctable: Texts | undefined;
}

/** How far a run is. */
export interface Progress {
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
  /** How many of these have the id of a deleted plant. */
  readonly retired: number;
}

/** Something that is not about one plant, and keeps all from being stored. */
export interface Stop {
  readonly cause: 'token' | 'other';
  /** What happened, for the person. */
  readonly message: string;
}
