import type { Progress, Stop } from '../../protocol.js';
import { type CheckedPlants, state } from '../check/check-plants.js';
import { type Reading, readPlants } from '../check/read-plants.js';
import type { Table } from '../table.js';
import { createRateMeter } from './rate-meter.js';
import { Run } from './run.js';
import { createSender, type Outcome, type Sender, type Target } from './send-plant.js';

/** A browser has six connections to an origin over HTTP/1.1; a few more requests keep these busy. */
const concurrency = 12;

/** The plants of a table on their way to the service. */
export class PlantsRun {
  readonly #run: Run;
  readonly #plants: CheckedPlants;
  readonly #meter = createRateMeter();
  readonly #counts = { stored: 0, replayed: 0, rejected: 0 };
  #sender: Sender | undefined;
  #starts = 0;

  /** @param onChange called after each change, however many there are */
  constructor(table: Table, reading: Reading, plants: CheckedPlants, onChange: () => void) {
    this.#plants = plants;
    this.#run = new Run({
      records: openRecords(plants.states),
      count: plants.plants,
      concurrency,
      send: async (record, signal) => {
        const [read] = readPlants(table, reading, record, record + 1);
        if (this.#sender === undefined) return noToken;
        // It was a plant when it was checked, and the text does not change.
        if (read === undefined || 'reason' in read) throw new Error(`Record ${record} is no plant`);
        return this.#sender(read.plant, signal);
      },
      onOutcome: (record, outcome) => this.#note(record, outcome),
      onChange,
    });
  }

  /** @throws {TypeError} when the token cannot be one */
  resume(target: Target): void {
    this.#sender = createSender(target);
    this.#starts++;
    this.#run.resume();
  }

  pause(): void {
    this.#run.pause();
  }

  cancel(): void {
    this.#run.cancel();
  }

  /** Pauses until a token comes with `resume`. */
  forgetToken(): void {
    this.#sender = undefined;
    this.#run.pause(noToken.stop);
  }

  /** How far it is now. */
  measure(): Progress {
    const { stored, replayed, rejected } = this.#counts;
    const { view } = this.#run;
    const done = stored + replayed + rejected;
    const open = this.#plants.plants - done;
    // What passed while nothing was sent is no part of the rate afterwards.
    if (view.state !== 'running') this.#meter.reset();
    const rate = view.state === 'running' ? this.#meter.measure(done, performance.now()) : 0;
    const secondsLeft = rate > 0 ? open / rate : undefined;
    return { ...view, ...this.#counts, starts: this.#starts, open, rate, secondsLeft };
  }

  #note(record: number, outcome: Exclude<Outcome, { kind: 'stopped' }>): void {
    this.#counts[outcome.kind]++;
    this.#plants.states[record] = state[outcome.kind];
    if (outcome.kind !== 'rejected') return;
    this.#plants.problems.set(record, { reason: outcome.reason, error: outcome.error });
  }
}

const noToken: Outcome & { readonly stop: Stop } = {
  kind: 'stopped',
  stop: { cause: 'token', message: 'There is no token. Enter one, then resume.' },
  retry: 'never',
};

function* openRecords(states: Uint8Array): Generator<number> {
  for (let record = 0; record < states.length; record++) {
    if (states[record] === state.open) yield record;
  }
}
