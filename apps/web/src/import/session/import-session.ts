import type { Texts } from '../../shared/fields.js';
import { serviceUrl } from '../../shared/plant-store.js';
import { saveFile } from '../../shared/save-file.js';
import { warnBeforeClosing } from '../../shared/warn-before-closing.js';
import type { ColumnChoice, Command, Filter, Fix, ReadAs, Report, Source, Stop, Task } from '../protocol.js';
import {
  applyReport,
  type Draft,
  explainCrash,
  type ImportState,
  initialState,
  isAllStored,
  isUnfinished,
  startOver,
} from './import-state.js';
import type { PlantsWorker, spawnWorker } from './spawn-worker.js';

/** Pasted texts beyond this are not shown in a text field: one with as many lines makes the page slow. */
export const longPaste = 20_000;

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

  read(source: Source, readAs: ReadAs = {}): void {
    this.#runs = 0;
    this.#source = source;
    this.#set({ ...startOver(this.#state), step: 'reading', busy: { step: 'read', fraction: 0 } });
    this.#send({ type: 'read', source, readAs });
  }

  /** Reads the same source again, another sheet of it or in another encoding. */
  readAgain(readAs: ReadAs): void {
    if (this.#source !== undefined) this.read(this.#source, readAs);
  }

  /** Recognizes the columns again, with a record as their titles, or without any. */
  recognize(header: number | undefined): void {
    this.#send({ type: 'recognize', header });
  }

  chooseColumns(choice: ColumnChoice): void {
    const { preview } = this.#state;
    if (preview?.columns === undefined) return;
    this.#set({ ...this.#state, preview: { ...preview, columns: { ...preview.columns, choice } } });
  }

  /** Checks the lines, with the columns as they are chosen. */
  check(): void {
    const columns = this.#state.preview?.columns;
    if (columns === undefined) return;
    this.#runs = 0;
    const busy = { step: 'check', fraction: 0 } as const;
    this.#set({ ...this.#state, step: 'reading', busy, fixed: new Map() });
    this.#send({ type: 'check', header: columns.header, columns: columns.choice });
  }

  /** Fixes all ids of a kind that cannot be read, or takes that back. */
  fix(fix: Fix): void {
    const { fixed: before, counts } = this.#state;
    const fixed = new Map(before);
    if (!fixed.delete(fix)) fixed.set(fix, counts.fixable[fix]);
    this.#set({ ...this.#state, step: 'reading', busy: { step: 'check', fraction: 0 }, fixed });
    this.#send({ type: 'fix', fixes: [...fixed.keys()] });
  }

  /** Compares the lines with what is stored, which the review then shows. */
  compare(): void {
    this.#runToken = this.#token;
    if (this.#token === undefined) return;
    this.#set({ ...this.#state, step: 'reading', busy: { step: 'compare', fraction: 0 } });
    this.#send({ type: 'compare', baseUrl: serviceUrl, token: this.#token });
  }

  list(filter: Filter, offset: number): void {
    this.#send({ type: 'list', filter, offset });
  }

  edit(record: number, texts: Texts): void {
    this.#send({ type: 'edit', record, texts });
  }

  /** Leaves a changed plant as it is stored, or no longer. */
  skip(record: number, skips: boolean): void {
    this.#send({ type: 'skip', record, skips });
  }

  /** Shows the columns again, before anything is sent. */
  backToColumns(): void {
    this.#set({ ...this.#state, step: 'columns' });
  }

  /** Shows the lines again, such as those with a problem, or those that somebody else has changed. */
  review(filter: Filter): void {
    this.#set({ ...this.#state, step: 'review', list: undefined, edited: undefined });
    this.#send({ type: 'review', filter });
  }

  /** Shows again what came of the run. */
  backToOutcome(): void {
    this.#set({ ...this.#state, step: 'run' });
  }

  /** Begins a task: by default it sends what is ready. */
  run(task: Task = 'add'): void {
    if (this.#token === undefined) return;
    this.#runs++;
    this.#runToken = this.#token;
    const { progress } = this.#state;
    const resumed = progress?.state === 'stopped' && progress.task === task;
    this.#set({
      ...this.#state,
      step: 'run',
      progress: resumed ? { ...progress, state: 'running', stop: undefined } : undefined,
    });
    this.#send({ type: 'run', baseUrl: serviceUrl, token: this.#token, task });
  }

  /** Goes on with a task that has stopped. */
  resume(): void {
    this.run(this.#state.progress?.task);
  }

  cancel(): void {
    this.#send({ type: 'cancel' });
  }

  /** Lets the browser save the lines that were not stored, unless that is in progress. */
  download(): void {
    if (this.#state.downloading) return;
    this.#set({ ...this.#state, downloading: true });
    this.#send({ type: 'download' });
  }

  /** Keeps what was typed or pasted. */
  keepDraft(draft: Draft): void {
    this.#set({ ...this.#state, draft });
  }

  /** Keeps pasted lines, and reads them, unless that would end work that is not finished. */
  readPasted(text: string): void {
    this.keepDraft({ text, editable: text.length <= longPaste });
    if (!isUnfinished(this.#state)) this.read({ text });
  }

  /** Shows why what was chosen cannot be read, and what to do. */
  reject(problem: string): void {
    this.#set({ ...startOver(this.#state), problem });
  }

  /** Takes the token of the page. A run that waits for another one goes on. */
  useToken(token: string): void {
    this.#token = token;
    this.#resumeWithToken();
  }

  forgetToken(): void {
    this.#token = undefined;
    this.#runToken = undefined;
    this.#worker?.send({ type: 'forget-token' });
  }

  /** Forgets the file and its results, and what was typed once all of it is stored. */
  reset(): void {
    this.#worker?.end();
    this.#worker = undefined;
    const { preview } = this.#state;
    const isDone = preview?.fileName === undefined && isAllStored(this.#state);
    this.#set(isDone ? initialState : startOver(this.#state));
  }

  #resumeWithToken(): void {
    const { progress, step, uncompared } = this.#state;
    if (this.#token === this.#runToken) return;
    if (progress?.stop?.cause === 'token') this.resume();
    else if (step === 'review' && uncompared?.cause === 'token') this.compare();
  }

  #send(command: Command): void {
    try {
      this.#worker ??= this.#spawn({
        onReport: (report) => this.#onReport(report),
        onCrash: (message) => this.#onCrash(message),
      });
      this.#worker.send(command);
    } catch (error) {
      this.#onCrash(error instanceof Error ? error.message : '');
    }
  }

  #onReport(report: Report): void {
    if (report.type === 'failed') this.#onCrash(report.message);
    else if (report.type === 'download') {
      this.#set({ ...this.#state, downloading: false, saved: saveFile(report.file, report.fileName) });
    } else if (report.type !== 'progress') {
      this.#set(applyReport(this.#state, report));
      if (report.type === 'checked') this.compare();
      if (report.type === 'compared') this.#onStop(report.failure);
    }
    // One that was on its way when the run was started again shows nothing about the token of now.
    else if (report.progress.runs === this.#runs) this.#onProgress(report);
  }

  #onProgress(report: Report & { type: 'progress' }): void {
    const before = this.#state.progress?.stop;
    this.#set(applyReport(this.#state, report));
    if (before?.cause !== 'token') this.#onStop(report.progress.stop);
  }

  #onStop(stop: Stop | undefined): void {
    if (stop?.cause !== 'token') return;
    if (this.#token !== undefined && this.#token === this.#runToken) this.onTokenRejected?.(stop.message);
    else this.#resumeWithToken();
  }

  #onCrash(message: string): void {
    this.#worker?.end();
    this.#worker = undefined;
    this.#set(explainCrash(this.#state, message));
  }

  #set(state: ImportState): void {
    this.#state = state;
    this.#endWarning?.();
    this.#endWarning = isUnfinished(state) ? warnBeforeClosing() : undefined;
    for (const listener of this.#listeners) listener();
  }
}
