import { type PlantStore, serviceUrl } from '../../shared/plant-store.js';
import { type SavedFile, saveFile } from '../../shared/saved-file.js';
import { warnBeforeClosing } from '../../shared/warn-before-closing.js';
import {
  type ColumnsPreview,
  noCounts,
  type ReadAs,
  type Report,
  type Request,
  type Source,
  type Task,
  type View,
} from '../protocol.js';
import type { PlantsWorker, spawnWorker } from './spawn-worker.js';

/** The maximum length of a pasted text that the text field shows, in characters. A longer text would make the page slow. */
export const maxEditablePaste = 20_000;

/** The state that the page shows: the view that the worker reports, and the page's own state. */
export interface ImportState extends View {
  /** Whether an import was undone. If so, the next run can reuse the deleted plants' IDs. */
  readonly hasUndone: boolean;
  readonly downloading: boolean;
  readonly saved: SavedFile | undefined;
  /** The typed or pasted text. Starting over keeps it, unless all of its lines are stored. */
  readonly draft: string;
}

/** The page's token, and how to report that the service rejected it. */
type TokenSource = Pick<PlantStore, 'token' | 'rejectToken'>;

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
  comparisonFailure: undefined,
  edited: undefined,
  progress: undefined,
  fixed: new Map(),
  hasUndone: false,
  downloading: false,
  saved: undefined,
  draft: '',
};

/** Connects the page to the worker. Outlives the components, so that a run can wait for a new token while they are unmounted. */
export class ImportSession {
  readonly #spawn: typeof spawnWorker;
  readonly #listeners = new Set<() => void>();
  #worker: PlantsWorker | undefined;
  #state = initialState;
  #endWarning: (() => void) | undefined;
  #source: Source | undefined;
  #store: TokenSource | undefined;

  /** @param spawn starts the worker. Called before the first request. */
  constructor(spawn: typeof spawnWorker) {
    this.#spawn = spawn;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly getState = (): ImportState => this.#state;

  /** Sends a request to the worker, and starts the worker if necessary. */
  send(...request: Request): void {
    try {
      if (this.#worker === undefined) {
        this.#worker = this.#spawn({
          onReport: (report) => this.#onReport(report),
          onCrash: (message) => this.#onCrash(message),
        });
        this.setStore(this.#store);
      }
      this.#worker.send(request);
    } catch (error) {
      this.#onCrash(error instanceof Error ? error.message : '');
    }
  }

  /** Sets the page's token; `undefined` if there is none. A run that waits for a token resumes. */
  setStore(store: TokenSource | undefined): void {
    this.#store = store;
    this.#worker?.send(['setTarget', store && { baseUrl: serviceUrl, token: store.token }]);
  }

  read(source: Source, readAs: ReadAs = {}): void {
    this.#source = source;
    this.startOver({ step: 'reading' });
    this.send('read', source, readAs);
  }

  /** Reads the same source again, with another sheet or encoding. */
  readAgain(readAs: ReadAs): void {
    if (this.#source !== undefined) this.read(this.#source, readAs);
  }

  check({ header, choice }: ColumnsPreview): void {
    this.change({ step: 'reading', fraction: undefined });
    this.send('check', header, choice);
  }

  run(task: Task): void {
    if (task === 'undo') this.change({ hasUndone: true });
    this.send('run', task);
  }

  /** Downloads the lines with a problem, unless a download is in progress. */
  download(): void {
    if (this.#state.downloading) return;
    this.change({ downloading: true });
    this.send('download');
  }

  /** Keeps pasted lines as the draft, and reads them unless that would discard unfinished work. */
  readPasted(text: string): void {
    this.change({ draft: text });
    if (!isUnfinished(this.#state)) this.read({ text });
  }

  /** Discards the source and its results, and the typed text if all of it is stored. */
  reset(): void {
    this.#endWorker();
    const { preview, counts, progress } = this.#state;
    const { stored, updated, replayed, repeated, all } = counts;
    const isEnded = progress?.state === 'ended' && progress.task !== 'undo';
    const isStored = isEnded && stored + updated + replayed + repeated === all;
    this.startOver(preview?.fileName === undefined && isStored ? { draft: '' } : {});
  }

  /** Discards everything except the typed text. */
  startOver(changes: Partial<ImportState> = {}): void {
    const { draft, hasUndone } = this.#state;
    this.change({ ...initialState, draft, hasUndone, ...changes });
  }

  #onReport(report: Report): void {
    if (report.type === 'failed') this.#onCrash(report.message);
    else if (report.type === 'download')
      this.change({ downloading: false, saved: saveFile(report.file, report.fileName) });
    else if (report.type === 'view')
      report.view.problem === undefined ? this.change(report.view) : this.startOver(report.view);
    // Ignores the report if the person has entered another token since.
    else if (report.token === this.#store?.token) this.#store.rejectToken(report.message);
  }

  #onCrash(message: string): void {
    this.#endWorker();
    const saved = this.#state.progress === undefined ? 'Nothing was saved.' : 'Plants saved so far are kept.';
    const cause =
      message === ''
        ? 'Part of this page failed to load or ran out of memory.'
        : `Something went wrong on this page: ${message}.`;
    const advice =
      'Reload the page, then choose the same file or paste the same lines again. Nothing is added twice.';
    this.startOver({ problem: `${cause} ${saved} ${advice}` });
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

/** Whether closing the page would interrupt a run, or lose edits and fixes of lines that were not sent. */
function isUnfinished({ progress, edited, fixed, counts }: ImportState): boolean {
  if (progress?.state === 'running' || progress?.state === 'stopped') return true;
  const isReviewed = edited !== undefined || fixed.size > 0;
  return isReviewed && counts.ready + counts.changed + counts.conflict > 0;
}
