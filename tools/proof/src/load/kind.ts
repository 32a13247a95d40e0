import { join } from 'node:path';
import type { ProofContext, Trials } from '../proof.js';
import type { TestBed } from '../system/databases.js';
import { withFollowers } from './followers.js';
import { createRandom } from './random.js';
import { Tally } from './tally.js';
import { type Trial, withTrial } from './trial.js';

/** A kind of fault that is injected repeatedly under load. */
export interface Kind<Bed extends TestBed = TestBed> extends Omit<Trials, 'prove'> {
  /** How many trials share a database. Default: all. */
  readonly trialsPerDatabase?: number;
  /** Settings of the service. The command line overrides them. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The number of service instances from which followers receive all changes. Default: no followers. */
  readonly followedInstances?: number;
  /** Sets up a test bed for the trials, and removes it afterward. */
  withTestBed(run: (testBed: Bed) => Promise<void>): Promise<void>;
  /**
   * Injects the fault once, under a load that has ended when this resolves. After that, the stored records are compared with all requests.
   * If the service has ended, it is restarted.
   */
  injectFault(attempt: Attempt<Bed>): Promise<void>;
}

/** One of a kind's trials. */
export interface Attempt<Bed extends TestBed = TestBed> {
  readonly trial: Trial;
  readonly testBed: Bed;
  readonly tally: Tally;
  /** The number of earlier attempts. */
  readonly index: number;
}

/** Returns the trials of a kind, which end early if the service breaks a promise. */
export function trialsOf<Bed extends TestBed>(kind: Kind<Bed>): Trials {
  async function prove(count: number, context: ProofContext) {
    const { name, trialsPerDatabase = Number.POSITIVE_INFINITY } = kind;
    const { seed, log, settings } = context;
    const random = createRandom(seed);
    const tally = new Tally();
    let done = 0;
    async function runOn(testBed: Bed) {
      while (done < count && tally.failures.length === 0) {
        const options = {
          database: await testBed.createDatabase(),
          random: random.fork(),
          logFile: join(testBed.folder, 'service.log'),
          settings: { ...kind.settings, ...settings },
        };
        const end = Math.min(count, done + trialsPerDatabase);
        await withTrial(options, async (trial) => {
          const runTrials = async () => {
            for (; done < end && tally.failures.length === 0; tally.figures['trials'] = ++done) {
              if (done > 0 && done % 25 === 0) log(`${name}: ${done} of ${count} trials`);
              await kind.injectFault({ trial, testBed, tally, index: done });
              await trial.runningService();
              tally.addFailures(await trial.compare(), `after trial ${done + 1}`);
            }
          };
          await (kind.followedInstances
            ? withFollowers(trial, tally, kind.followedInstances, runTrials)
            : runTrials());
          await tally.checkAtEnd(trial);
        });
      }
    }
    await kind.withTestBed(runOn);
    return tally.toResult();
  }
  return { ...kind, prove };
}
