import type { SavedFile } from '../../shared/save-file.js';
import type { Counts, Fix, List, Preview, Progress, ReadingStep, Report, Stop } from '../protocol.js';

/** What the view shows. */
export interface ImportState {
  readonly step: 'source' | 'reading' | 'columns' | 'review' | 'run';
  /** Why there is nothing to show, and what to do. */
  readonly problem: string | undefined;
  /** How far reading or checking is, while it lasts: from 0 to 1. */
  readonly busy: { readonly step: ReadingStep; readonly fraction: number } | undefined;
  readonly preview: Preview | undefined;
  /** What the person should know about the lines that were checked. */
  readonly notes: readonly string[];
  readonly counts: Counts;
  readonly list: List | undefined;
  /** Why the lines are not compared with what is stored, if they are not. */
  readonly uncompared: Stop | undefined;
  /** What is done to ids that cannot be read, and to how many. */
  readonly fixed: ReadonlyMap<Fix, number>;
  /** Whether plants that this page has imported were deleted again, so that their ids may be wanted. */
  readonly hasUndone: boolean;
  /** The line that was edited last, and what is still wrong with it. */
  readonly edited: { readonly line: number; readonly problem: string | undefined } | undefined;
  /** `undefined` until a run was started. */
  readonly progress: Progress | undefined;
  /** Whether a file to download is being written. */
  readonly downloading: boolean;
  /** The file that the browser was asked to save last. */
  readonly saved: SavedFile | undefined;
  /** What was typed or pasted; it stays until it is changed or stored. */
  readonly draft: Draft;
}

/** Typed or pasted lines. */
export interface Draft {
  readonly text: string;
  /** Whether the text is short enough for a text field. */
  readonly editable: boolean;
}

/** Before anything is chosen. */
export const initialState: ImportState = {
  step: 'source',
  problem: undefined,
  busy: undefined,
  preview: undefined,
  notes: [],
  counts: {
    lines: 0,
    ready: 0,
    changed: 0,
    conflicts: 0,
    retired: 0,
    skipped: 0,
    problems: 0,
    stored: 0,
    updated: 0,
    replayed: 0,
    repeated: 0,
    duplicates: 0,
    fixable: { generate: 0, separators: 0, decimals: 0, replace: 0, tidy: 0 },
  },
  list: undefined,
  uncompared: undefined,
  fixed: new Map(),
  hasUndone: false,
  edited: undefined,
  progress: undefined,
  downloading: false,
  saved: undefined,
  draft: { text: '', editable: true },
};

/** The state before anything is chosen, with what was typed. */
export function startOver({ draft, hasUndone }: ImportState): ImportState {
  return { ...initialState, draft, hasUndone };
}

/** The state after a report of the worker. */
export function applyReport(
  current: ImportState,
  report: Exclude<Report, { type: 'failed' | 'download' }>,
): ImportState {
  switch (report.type) {
    case 'reading':
      return { ...current, busy: report };
    case 'unreadable':
      return { ...startOver(current), problem: report.message };
    case 'read': {
      const step = report.preview.columns === undefined ? 'reading' : 'columns';
      return { ...startOver(current), step, preview: report.preview };
    }
    case 'checked': {
      const { notes, counts, list } = report;
      const { preview, fixed } = current;
      return { ...startOver(current), step: 'review', preview, fixed, notes, counts, list };
    }
    case 'compared': {
      const { notes, counts, list, failure } = report;
      return { ...current, step: 'review', busy: undefined, uncompared: failure, notes, counts, list };
    }
    case 'list':
      return { ...current, counts: report.counts, list: report.list };
    case 'edited':
      return { ...current, edited: report };
    case 'progress':
      return {
        ...{ ...current, progress: report.progress, counts: report.counts },
        hasUndone: current.hasUndone || report.progress.task === 'undo',
      };
  }
}

/** The state after the worker could not be loaded, or ended by an error. */
export function explainCrash(current: ImportState, message: string): ImportState {
  const kept = current.progress === undefined ? 'Nothing was sent.' : 'What was stored stays stored.';
  const what =
    message === ''
      ? 'A part of this page could not be loaded or has run out of memory.'
      : `This page has an error of its own: ${message}.`;
  return {
    ...startOver(current),
    problem: `${what} ${kept} Reload the page, then choose the same file, or paste the same lines, again: nothing is stored twice.`,
  };
}

/** Whether the run has ended, and all lines are stored. */
export function isAllStored({ counts, progress }: ImportState): boolean {
  const { stored, updated, replayed, repeated, lines } = counts;
  const isEnded = progress?.state === 'ended' && progress.task !== 'undo';
  return isEnded && stored + updated + replayed + repeated === lines;
}

/** Whether something would be lost if the page were closed now: a run that is not finished, or work on lines that were not sent. */
export function isUnfinished({ step, progress, edited, fixed, counts }: ImportState): boolean {
  if (progress?.state === 'running' || progress?.state === 'stopped') return true;
  const isReviewed = edited !== undefined || fixed.size > 0;
  return (step === 'run' && progress === undefined) || (isReviewed && counts.ready + counts.changed > 0);
}
