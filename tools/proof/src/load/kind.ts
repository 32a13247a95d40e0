import { join } from 'node:path';
import type { ProofContext, Trials } from '../proof.js';
import type { Place } from '../system/databases.js';
import { withFollowers } from './followers.js';
import { createRandom } from './random.js';
import { Tally } from './tally.js';
import { type Trial, withTrial } from './trial.js';

/** A way to break something repeatedly under load. */
export interface Kind<Where extends Place = Place> extends Omit<Trials, 'prove'> {
  /** How many trials share a database; by default all. */
  readonly trialsPerDatabase?: number;
  /** Settings of the service. The command may override them. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The number of service instances over which followers receive all changes; by default there are no followers. */
  readonly followed?: number;
  /** Sets up the place for databases, and removes it afterwards. */
  withPlace(trial: (place: Where) => Promise<void>): Promise<void>;
  /**
   * Breaks something once, under a load that has ended when it resolves. After that, all requests are compared, with the running service or
   * a restarted one.
   */
  breakOnce(attempt: Attempt<Where>): Promise<void>;
}

/** One of the trials of a kind. */
export interface Attempt<Where extends Place = Place> {
  readonly trial: Trial;
  readonly place: Where;
  readonly tally: Tally;
  /** The number of earlier attempts. */
  readonly index: number;
}

/** Runs trials until the service breaks a promise. */
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
