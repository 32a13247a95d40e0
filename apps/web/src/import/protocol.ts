/** The columns of the fields, from 0 on; `undefined` where there is none. */
export interface ColumnChoice {
  readonly id: number | undefined;
  readonly name: number | undefined;
  readonly tag: number | undefined;
}

/** Which lines a page of the list shows. */
export type Filter = 'all' | 'faulty';

/** What the person gave: a file, or text that they pasted. */
export type Source = { readonly file: File } | { readonly text: string };

/** What the page asks of the worker. */
export type Command =
  | { readonly type: 'read'; readonly source: Source }
  | { readonly type: 'choose'; readonly hasHeader: boolean; readonly columns: ColumnChoice | undefined }
  | { readonly type: 'list'; readonly filter: Filter; readonly offset: number }
  | { readonly type: 'start' | 'resume'; readonly baseUrl: string; readonly token: string }
  | { readonly type: 'pause' | 'cancel' | 'forget-token' | 'download' };

/** What the worker reports. */
export type Report =
  | { readonly type: 'reading'; readonly step: 'read' | 'check'; readonly fraction: number }
  | { readonly type: 'unreadable'; readonly message: string }
  | { readonly type: 'checked'; readonly preview: Preview }
  | { readonly type: 'list'; readonly list: List }
  | { readonly type: 'progress'; readonly progress: Progress }
  | { readonly type: 'download'; readonly file: Blob; readonly fileName: string }
  | { readonly type: 'failed'; readonly message: string };

/** What was read from a file or a pasted text. */
export interface Preview {
  /** `undefined` for a pasted text. */
  readonly fileName: string | undefined;
  readonly format: 'CSV' | 'TSV' | 'NDJSON';
  /** What the person should know, such as an encoding that had to be guessed. */
  readonly notes: readonly string[];
  /** Of a table of cells; `undefined` for NDJSON. */
  readonly columns: ColumnsPreview | undefined;
  /** Lines that are plants, and lines that are not. */
  readonly plants: number;
  readonly faulty: number;
  /** How many of the plants are in the file more than once. */
  readonly duplicates: number;
  readonly list: List;
}

/** The columns of a table, and which of them are the fields. */
export interface ColumnsPreview {
  readonly titles: readonly string[];
  readonly hasHeader: boolean;
  readonly choice: ColumnChoice;
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
export interface Row {
  readonly line: number;
  readonly id: string;
  readonly name: string;
  readonly tag: string;
  readonly problem: string | undefined;
}

/** How far a run is. */
export interface Progress {
  /** How many `start` and `resume` commands it takes into account: it shows nothing about the token of a later one. */
  readonly starts: number;
  readonly state: 'running' | 'waiting' | 'paused' | 'cancelling' | 'ended';
  /** Why it waits or has paused by itself. */
  readonly stop: Stop | undefined;
  /** While it waits: when it goes on, in milliseconds since the epoch. */
  readonly resumesAt: number | undefined;
  readonly stored: number;
  readonly replayed: number;
  readonly rejected: number;
  /** Plants whose outcome is not known yet. */
  readonly open: number;
  /** Of the open ones, those that are being sent. */
  readonly inFlight: number;
  /** Plants a second, over the last seconds. */
  readonly rate: number;
  /** `undefined` while there is no rate. */
  readonly secondsLeft: number | undefined;
}

/** Something that is not about one plant, and keeps all from being stored. */
export interface Stop {
  readonly cause: 'token' | 'rate' | 'overload' | 'network' | 'timeout' | 'service' | 'unexpected';
  /** What happened and what to do, for the person. */
  readonly message: string;
}
