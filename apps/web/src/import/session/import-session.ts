import { saveFile } from '../../shared/save-file.js';
import type { Command, Report, Source } from '../protocol.js';
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
import { warnBeforeClosing } from './warn-before-closing.js';

/**
 * The connection of the tab to its worker. It lives beside the components, so that a run goes on, or waits for a new token,
 * while they are not there.
 */
export class ImportSession {
  readonly #spawn: typeof spawnWorker;
  readonly #listeners = new Set<() => void>();
  #worker: PlantsWorker | undefined;
  #state = initialState;
  /** How many times the run was started and resumed. */
  #starts = 0;

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

  read(source: Source): void {
    this.#set({ ...startOver(this.#state), step: 'reading', busy: { step: 'read', fraction: 0 } });
    this.#send({ type: 'read', source });
  }

  choose(choice: Omit<Command & { type: 'choose' }, 'type'>): void {
    this.#set({ ...this.#state, busy: { step: 'check', fraction: 0 }, downloading: false });
    this.#send({ type: 'choose', ...choice });
  }

  list(filter: (Command & { type: 'list' })['filter'], offset: number): void {
    this.#send({ type: 'list', filter, offset });
  }

  start(token: string): void {
    this.#starts = 1;
    this.#set({ ...this.#state, step: 'run', progress: undefined });
    this.#send({ type: 'start', baseUrl: location.origin, token });
  }

  resume(token: string): void {
    const { progress } = this.#state;
    this.#starts++;
    // So that the next rejection of a token is one that is shown again.
    if (progress !== undefined) this.#set({ ...this.#state, progress: { ...progress, stop: undefined } });
    this.#send({ type: 'resume', baseUrl: location.origin, token });
  }

  control(type: 'pause' | 'cancel'): void {
    this.#send({ type });
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

  /** Shows why what was chosen cannot be read, and what to do. */
  reject(problem: string): void {
    this.#set({ ...startOver(this.#state), problem });
  }

  forgetToken(): void {
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
      this.#set({ ...this.#state, downloading: false });
      saveFile(report.file, report.fileName);
    } else if (report.type !== 'progress' || report.progress.starts === this.#starts) this.#apply(report);
  }

  #apply(report: Parameters<typeof applyReport>[1]): void {
    const before = this.#state.progress;
    this.#set(applyReport(this.#state, report));
    const { progress } = this.#state;
    if (progress === undefined || progress === before) return;
    // The summary shows the lines that were not stored, once they come.
    if (progress.state === 'ended') {
      this.#set({ ...this.#state, list: undefined });
      this.list('faulty', 0);
    }
    const { stop } = progress;
    if (stop?.cause === 'token' && before?.stop?.cause !== 'token') this.onTokenRejected?.(stop.message);
  }

  #onCrash(message: string): void {
    this.#worker?.end();
    this.#worker = undefined;
    this.#set(explainCrash(this.#state, message));
  }

  #set(state: ImportState): void {
    this.#state = state;
    warnBeforeClosing(isUnfinished(state));
    for (const listener of this.#listeners) listener();
  }
}
