import type { Progress, Stop } from '../../protocol.js';
import type { Outcome, Retry } from './send-plant.js';

/** What a run needs. */
export interface RunOptions {
  /** The records to send, and how many these are; each is asked for once, in order. */
  readonly records: Iterable<number>;
  readonly count: number;
  /** Sends a record. Rejects only once the signal is aborted. */
  send(record: number, signal: AbortSignal): Promise<Outcome>;
  /** Called with the outcome of each record, once. */
  onOutcome(record: number, outcome: Exclude<Outcome, { kind: 'stopped' }>): void;
  /** Called after each change of what `view` returns. */
  onChange(): void;
  readonly concurrency: number;
  /** How long to wait after so many stops in a row, in milliseconds; `undefined` to wait for the person. */
  readonly backoff?: (stops: number) => number | undefined;
  /** How long requests in flight may take after a cancel, in milliseconds. */
  readonly graceMs?: number;
}

/** The state of a run. */
export type RunView = Pick<Progress, 'state' | 'stop' | 'resumesAt' | 'inFlight'>;

/** Waits 1, 2, 4, 8, 16 and 30 s, then for the person. */
function growingDelay(stops: number): number | undefined {
  return stops > 6 ? undefined : Math.min(30_000, 1000 * 2 ** (stops - 1));
}

/**
 * Sends records with bounded concurrency. What is not about one record (a token, an overload, a broken connection) stops
 * the run: the record stays open and is sent again when the run goes on, by itself after a delay or by `resume`.
 */
export class Run {
  readonly #options: RunOptions;
  readonly #records: Iterator<number>;
  readonly #unfinished: number[] = [];
  readonly #aborting = new AbortController();
  #state: Progress['state'] = 'paused';
  #inFlight = 0;
  #left: number;
  #resumes = 0;
  /** How many stops there were in a row, without a success in between. */
  #stops = 0;
  #stop: Stop | undefined;
  #resumesAt: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: RunOptions) {
    this.#options = options;
    this.#records = options.records[Symbol.iterator]();
    this.#left = options.count;
  }

  get view(): RunView {
    return { state: this.#state, stop: this.#stop, resumesAt: this.#resumesAt, inFlight: this.#inFlight };
  }

  /** Starts the run, or goes on after a pause or a stop, immediately. */
  resume(): void {
    if (this.#isEnding) return;
    this.#resumes++;
    this.#set('running');
    this.#fill();
  }

  /** Sends nothing more until `resume`; what is in flight is finished. The reason for which it waits stays. */
  pause(stop = this.#stop): void {
    if (this.#isEnding) return;
    this.#set('paused', stop);
  }

  /** Sends nothing more, and ends once what is in flight is finished, or after a few seconds without it. */
  cancel(): void {
    if (this.#isEnding) return;
    this.#set('cancelling');
    this.#timer = setTimeout(() => this.#aborting.abort(), this.#options.graceMs ?? 3000);
    this.#endIfDone();
  }

  get #isEnding(): boolean {
    return this.#state === 'ended' || this.#state === 'cancelling';
  }

  #set(state: Progress['state'], stop?: Stop, delayMs?: number): void {
    clearTimeout(this.#timer);
    this.#state = state;
    this.#stop = stop;
    this.#resumesAt = delayMs === undefined ? undefined : Date.now() + delayMs;
    if (delayMs !== undefined) this.#timer = setTimeout(() => this.resume(), delayMs);
    this.#options.onChange();
  }

  #fill(): void {
    while (this.#state === 'running' && this.#inFlight < this.#options.concurrency) {
      const record = this.#next();
      if (record === undefined) break;
      this.#inFlight++;
      void this.#send(record);
    }
    this.#endIfDone();
  }

  /** Those that were stopped come last, so that one that always is does not hold up the others. */
  #next(): number | undefined {
    const { done, value } = this.#records.next();
    return done ? this.#unfinished.shift() : value;
  }

  async #send(record: number): Promise<void> {
    const { send, onOutcome, onChange } = this.#options;
    const { signal } = this.#aborting;
    const resumes = this.#resumes;
    const outcome = await send(record, signal).catch((error: unknown) => {
      // What else it throws is an error of the page, which must not be taken for a plant that may be sent again.
      if (!signal.aborted) throw error;
    });
    this.#inFlight--;
    // What was sent before the run went on shows nothing about the time, or the token, after that.
    const isCurrent = resumes === this.#resumes;
    if (outcome === undefined || outcome.kind === 'stopped') {
      this.#unfinished.push(record);
      if (outcome !== undefined && isCurrent) this.#onStop(outcome.stop, outcome.retry);
    } else {
      this.#left--;
      if (isCurrent) this.#stops = 0;
      onOutcome(record, outcome);
    }
    onChange();
    this.#fill();
  }

  /** The first stop counts; those of the other requests in flight have the same cause. One that only a person ends prevails. */
  #onStop(stop: Stop, retry: Retry): void {
    const isFirst = this.#state === 'running';
    if (this.#isEnding || (!isFirst && retry !== 'never')) return;
    if (isFirst) this.#stops++;
    const backoffMs = (this.#options.backoff ?? growingDelay)(this.#stops);
    const askedMs = retry === 'backoff' ? backoffMs : retry;
    const delayMs = retry === 'never' || backoffMs === undefined ? undefined : Number(askedMs);
    this.#set(delayMs === undefined ? 'paused' : 'waiting', stop, delayMs);
  }

  #endIfDone(): void {
    const isDone = this.#left === 0 || (this.#state === 'cancelling' && this.#inFlight === 0);
    if (isDone && this.#state !== 'ended') this.#set('ended');
  }
}
