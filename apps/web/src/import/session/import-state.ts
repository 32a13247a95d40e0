import type { List, Preview, Progress, Report } from '../protocol.js';

/** What the tab shows. */
export interface ImportState {
  readonly step: 'choose' | 'reading' | 'preview' | 'run';
  /** Why there is nothing to show, and what to do. */
  readonly problem: string | undefined;
  /** How far reading or checking is, while it lasts: from 0 to 1. */
  readonly busy: { readonly step: 'read' | 'check'; readonly fraction: number } | undefined;
  readonly preview: Preview | undefined;
  readonly list: List | undefined;
  readonly progress: Progress | undefined;
  /** Whether a file to download is being written. */
  readonly downloading: boolean;
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
  step: 'choose',
  problem: undefined,
  busy: undefined,
  preview: undefined,
  list: undefined,
  progress: undefined,
  downloading: false,
  draft: { text: '', editable: true },
};

/** The state before anything is chosen, with what was typed. */
export function startOver({ draft }: ImportState): ImportState {
  return { ...initialState, draft };
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
    case 'checked':
      return { ...startOver(current), step: 'preview', preview: report.preview, list: report.preview.list };
    case 'list':
      return { ...current, list: report.list };
    case 'progress':
      // One that was on its way when another file was chosen is of no interest any more.
      return current.step === 'run' ? { ...current, progress: report.progress } : current;
  }
}

/** The state after the worker could not be loaded, or ended by an error. */
export function explainCrash(current: ImportState, message: string): ImportState {
  const kept = current.step === 'run' ? 'What was stored stays stored.' : 'Nothing was sent.';
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
export function isAllStored({ preview, progress }: ImportState): boolean {
  if (preview === undefined || progress?.state !== 'ended') return false;
  return preview.faulty + progress.rejected + progress.open === 0;
}

/** Whether something would be lost if the page were closed now. */
export function isUnfinished({ step, progress }: ImportState): boolean {
  return step === 'run' && progress?.state !== 'ended';
}
