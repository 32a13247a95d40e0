import { join } from 'node:path';
import type { ProofContext, Trials } from '../proof.js';
import type { Place } from '../system/databases.js';
import { withFollowers } from './followers.js';
import { createRandom } from './random.js';
import { Tally } from './tally.js';
import { type Trial, withTrial } from './trial.js';

/** A way to break something again and again under load. */
export interface Kind<Where extends Place = Place> extends Omit<Trials, 'prove'> {
  /** After so many trials the next database begins; by default there is one. */
  readonly trialsPerDatabase?: number;
  /** Settings of the service that may be replaced by those of the command. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Over how many instances of the service followers get all changes meanwhile; by default nobody does. */
  readonly followed?: number;
  /** Sets up where databases are created, and removes it afterwards. */
  withPlace(trial: (place: Where) => Promise<void>): Promise<void>;
  /**
   * Breaks something once, with a load that has ended when it resolves. Then all that was sent is compared, with a service that runs
   * or is started again.
   */
  breakOnce(attempt: Attempt<Where>): Promise<void>;
}

/** One of the trials of a kind. */
export interface Attempt<Where extends Place = Place> {
  readonly trial: Trial;
  readonly place: Where;
  readonly tally: Tally;
  /** How many came before. */
  readonly index: number;
}

/** Breaks something until a promise is broken. */
export function trialsOf<Where extends Place>(kind: Kind<Where>): Trials {
  async function prove(wanted: number, context: ProofContext) {
    const { name, trialsPerDatabase = Number.POSITIVE_INFINITY } = kind;
    const { seed, log, settings } = context;
    const random = createRandom(seed);
    const tally = new Tally();
    let done = 0;
    async function run(place: Where) {
      while (done < wanted && tally.failures.length === 0) {
        const options = {
          database: await place.createDatabase(),
          random: random.fork(),
          logFile: join(place.folder, 'service.log'),
          settings: { ...kind.settings, ...settings },
        };
        const enough = Math.min(wanted, done + trialsPerDatabase);
        await withTrial(options, async (trial) => {
          const run = async () => {
            for (; done < enough && tally.failures.length === 0; tally.figures['trials'] = ++done) {
              if (done > 0 && done % 25 === 0) log(`${name}: ${done} of ${wanted} trials`);
              await kind.breakOnce({ trial, place, tally, index: done });
              await trial.service();
              tally.check(await trial.compare(), `after trial ${done + 1}`);
            }
          };
          await (kind.followed ? withFollowers(trial, tally, kind.followed, run) : run());
          await tally.checkAtEnd(trial);
        });
      }
    }
    await kind.withPlace(run);
    return tally.toResult();
  }
  return { ...kind, prove };
}
