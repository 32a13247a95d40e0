import type { List, Preview, Progress, Report } from '../protocol.js';

/** What the tab shows. */
export interface ManyState {
  readonly step: 'choose' | 'reading' | 'preview' | 'run';
  /** Why there is nothing to show, and what to do. */
  readonly problem: string | undefined;
  /** How far reading or checking is, while it lasts: from 0 to 1. */
  readonly busy: { readonly step: 'read' | 'check'; readonly fraction: number } | undefined;
  readonly preview: Preview | undefined;
  readonly list: List | undefined;
  readonly progress: Progress | undefined;
}

/** Before anything is chosen. */
export const initialState: ManyState = {
  step: 'choose',
  problem: undefined,
  busy: undefined,
  preview: undefined,
  list: undefined,
  progress: undefined,
};

/** The state after a report of the worker. */
export function applyReport(current: ManyState, report: Report): ManyState {
  switch (report.type) {
    case 'reading':
      return { ...current, busy: report };
    case 'unreadable':
      return { ...initialState, problem: report.message };
    case 'checked':
      return { ...initialState, step: 'preview', preview: report.preview, list: report.preview.list };
    case 'list':
      return { ...current, list: report.list };
    case 'progress':
      // One that was on its way when another file was chosen is of no interest any more.
      return current.step === 'run' ? { ...current, progress: report.progress } : current;
    case 'failed':
      return explainCrash(current, report.message);
    case 'download':
      return current;
  }
}

/** The state after the worker could not be loaded, or ended by an error. */
export function explainCrash({ progress }: ManyState, message: string): ManyState {
  const done = progress === undefined ? 0 : progress.stored + progress.replayed;
  const kept = done === 0 ? 'Nothing was sent.' : 'What was stored stays stored.';
  const what =
    message === ''
      ? 'A part of this page could not be loaded or has run out of memory.'
      : `This page has an error of its own: ${message}.`;
  return {
    ...initialState,
    problem: `${what} ${kept} Reload the page and choose the same file again: nothing is stored twice.`,
  };
}

/** Whether something would be lost if the page were closed now. */
export function isUnfinished({ step, progress }: ManyState): boolean {
  return step === 'run' && progress?.state !== 'ended';
}
