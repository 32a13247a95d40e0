import { serviceUrl } from '../../shared/plant-store.js';
import { type SavedFile, saveFile } from '../../shared/save-file.js';
import { warnBeforeClosing } from '../../shared/warn-before-closing.js';
import {
  noCounts,
  type ReadAs,
  type Report,
  type Request,
  type Source,
  type Stop,
  type Task,
  type View,
} from '../protocol.js';
import type { PlantsWorker, spawnWorker } from './spawn-worker.js';

/** Pasted texts beyond this are not shown in a text field: one with as many lines makes the page slow. */
export const longPaste = 20_000;

/** What the page shows: what the worker has reported, and what only the page knows. */
export interface ImportState extends View {
  /** Whether plants that this page has imported were deleted again, so that their ids may be wanted. */
  readonly hasUndone: boolean;
  readonly downloading: boolean;
  readonly saved: SavedFile | undefined;
  /** What was typed or pasted, and whether it is short enough for a text field; it stays until it is changed or stored. */
  readonly draft: { readonly text: string; readonly editable: boolean };
}

const initialState: ImportState = {
  step: 'source',
  problem: undefined,
  fraction: undefined,
  preview: undefined,
  notes: [],
  totals: [],
  counts: noCounts,
  fixable: { generate: 0, separators: 0, decimals: 0, replace: 0, tidy: 0 },
  list: [],
  filter: 'all',
  uncompared: undefined,
  edited: undefined,
  progress: undefined,
  fixed: new Map(),
  hasUndone: false,
  downloading: false,
  saved: undefined,
  draft: { text: '', editable: true },
};

/**
 * The connection of the view to its worker. It lives beside the components, so that a run waits for a new token while they are
 * not there.
 */
export class ImportSession {
  readonly #spawn: typeof spawnWorker;
  readonly #listeners = new Set<() => void>();
  #worker: PlantsWorker | undefined;
  #state = initialState;
  #endWarning: (() => void) | undefined;
  /** How many times the run was started. */
  #runs = 0;
  #source: Source | undefined;
  /** The token of the page, and that of the run. */
  #token: string | undefined;
  #runToken: string | undefined;

  /** Called with the reason when the service no longer accepts the token. */
  onTokenRejected: ((message: string) => void) | undefined;

  /** @param spawn starts the worker, at the first command */
  constructor(spawn: typeof spawnWorker) {
    this.#spawn = spawn;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly getState = (): ImportState => this.#state;

  ask(...request: Request): void {
    try {
      this.#worker ??= this.#spawn({
        onReport: (report) => this.#onReport(report),
        onCrash: (message) => this.#onCrash(message),
      });
      this.#worker.send(request);
    } catch (error) {
      this.#onCrash(error instanceof Error ? error.message : '');
    }
  }

  read(source: Source, readAs: ReadAs = {}): void {
    this.#runs = 0;
    this.#source = source;
    this.startOver({ step: 'reading' });
    this.ask('read', source, readAs);
  }

  /** Reads the same source again, another sheet of it or in another encoding. */
  readAgain(readAs: ReadAs): void {
    if (this.#source !== undefined) this.read(this.#source, readAs);
  }

  check(): void {
    const columns = this.#state.preview?.columns;
    if (columns === undefined) return;
    this.#runs = 0;
    this.change({ step: 'reading', fraction: undefined });
    this.ask('check', columns.header, columns.choice);
  }

  /** Compares the lines with what is stored, which the review then shows. */
  compare(): void {
    this.#runToken = this.#token;
    if (this.#token === undefined) return;
    this.change({ step: 'reading', fraction: 0 });
    this.ask('compare', { baseUrl: serviceUrl, token: this.#token });
  }

  /** Begins a task: by default it sends what is ready. */
  run(task: Task = 'add'): void {
    if (this.#token === undefined) return;
    this.#runs++;
    this.#runToken = this.#token;
    const { progress, hasUndone } = this.#state;
    const resumed = progress?.state === 'stopped' && progress.task === task;
    this.change({
      step: 'run',
      progress: resumed ? { ...progress, state: 'running', stop: undefined } : undefined,
      hasUndone: hasUndone || task === 'undo',
    });
    this.ask('run', { baseUrl: serviceUrl, token: this.#token }, task);
  }

  resume(): void {
    this.run(this.#state.progress?.task);
  }

  /** Lets the browser save the lines with a problem, unless that is in progress. */
  download(): void {
    if (this.#state.downloading) return;
    this.change({ downloading: true });
    this.ask('download');
  }

  /** Keeps pasted lines, and reads them, unless that would end work that is not finished. */
  readPasted(text: string): void {
    this.change({ draft: { text, editable: text.length <= longPaste } });
    if (!isUnfinished(this.#state)) this.read({ text });
  }

  /** Takes the token of the page. A run that waits for another one goes on. */
  useToken(token: string): void {
    this.#token = token;
    this.#resumeWithToken();
  }

  forgetToken(): void {
    this.#token = undefined;
    this.#runToken = undefined;
    this.#worker?.send(['forgetToken']);
  }

  /** Forgets the file and its results, and what was typed once all of it is stored. */
  reset(): void {
    this.#endWorker();
    const { preview, counts, progress } = this.#state;
    const { stored, updated, replayed, repeated, all } = counts;
    const isEnded = progress?.state === 'ended' && progress.task !== 'undo';
    const isStored = isEnded && stored + updated + replayed + repeated === all;
    this.startOver(preview?.fileName === undefined && isStored ? { draft: initialState.draft } : {});
  }

  /** Forgets all but what was typed. */
  startOver(changes: Partial<ImportState> = {}): void {
    const { draft, hasUndone } = this.#state;
    this.change({ ...initialState, draft, hasUndone, ...changes });
  }

  #resumeWithToken(): void {
    const { progress, step, uncompared } = this.#state;
    if (this.#token === this.#runToken) return;
    if (progress?.stop?.cause === 'token') this.resume();
    else if (step === 'review' && uncompared?.cause === 'token') this.compare();
  }

  #onReport(report: Report): void {
    if (report.type === 'failed') this.#onCrash(report.message);
    else if (report.type === 'view') this.#onView(report.view);
    else this.change({ downloading: false, saved: saveFile(report.file, report.fileName) });
  }

  #onView(view: Partial<View>): void {
    // One that was on its way when the run was started again shows nothing about the token of now.
    if (view.progress !== undefined && view.progress.runs !== this.#runs) return;
    const before = this.#state;
    if (view.problem === undefined) this.change(view);
    else this.startOver(view);
    // Lines that were just checked are compared with what is stored.
    if (view.step === 'review' && !('uncompared' in view)) this.compare();
    if ('uncompared' in view) this.#onStop(view.uncompared);
    if (before.progress?.stop?.cause !== 'token') this.#onStop(view.progress?.stop);
  }

  #onStop(stop: Stop | undefined): void {
    if (stop?.cause !== 'token') return;
    if (this.#token !== undefined && this.#token === this.#runToken) this.onTokenRejected?.(stop.message);
    else this.#resumeWithToken();
  }

  #onCrash(message: string): void {
    this.#endWorker();
    const kept = this.#state.progress === undefined ? 'Nothing was saved.' : 'What was saved stays saved.';
    const what =
      message === ''
        ? 'A part of this page could not be loaded or has run out of memory.'
        : `Something went wrong on this page: ${message}.`;
    const advice =
      'Reload the page, then choose the same file, or paste the same lines, again: nothing is added twice.';
    this.startOver({ problem: `${what} ${kept} ${advice}` });
  }

  #endWorker(): void {
    this.#worker?.end();
    this.#worker = undefined;
  }

  change(changes: Partial<ImportState>): void {
    this.#state = { ...this.#state, ...changes };
    this.#endWarning?.();
    this.#endWarning = isUnfinished(this.#state) ? warnBeforeClosing() : undefined;
    for (const listener of this.#listeners) listener();
  }
}

/** Whether something would be lost if the page were closed now: a run that is not finished, or work on lines that were not sent. */
function isUnfinished({ step, progress, edited, fixed, counts }: ImportState): boolean {
  if (progress?.state === 'running' || progress?.state === 'stopped') return true;
  const isReviewed = edited !== undefined || fixed.size > 0;
  return (
    (step === 'run' && progress === undefined) ||
    (isReviewed && counts.ready + counts.changed + counts.conflict > 0)
  );
}
