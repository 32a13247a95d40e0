import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { withDatabases } from '../databases/with-databases.js';
import { createRandom } from '../load/random.js';
import { Tally } from '../load/tally.js';
import { type Trial, withTrial } from '../load/trial.js';
import type { ProofContext, ProofResult } from '../proof.js';
import { compareAtEnd } from './compare-at-end.js';
import { killService } from './kill-service.js';

/** After so many kills the whole database is compared and checked, and the next one begins. */
const killsPerDatabase = 50;

/** Kills the service on SQLite with all its processes. */
export async function crashSqlite({
  seed,
  amount,
  settings,
  trials,
  log,
}: ProofContext): Promise<ProofResult> {
  const kills = trials?.['crash-sqlite'] ?? { short: 8, full: 1_000 }[amount];
  const random = createRandom(seed);
  const tally = new Tally();
  let done = 0;
  await withDatabases('sqlite', async ({ folder, server }) => {
    while (done < kills && tally.failures.length === 0) {
      const database = await server.createDatabase();
      const logFile = join(folder, 'service.log');
      const enough = Math.min(kills, done + killsPerDatabase);
      await withTrial({ database, random: random.fork(), logFile, settings }, async (trial) => {
        while (done < enough && tally.failures.length === 0) {
          await killOnce(trial, tally, `after kill ${done}`);
          done++;
        }
        await compareAtEnd(trial, tally);
      });
      log(`killed the service on SQLite ${done} of ${kills} times`);
    }
  });
  return tally.toResult('A 200 survives a crash of the service on SQLite', { kills: done });
}

/** Starts the service, compares what was sent before, and kills the service under load or already while it starts. */
async function killOnce(trial: Trial, tally: Tally, when: string): Promise<void> {
  const { random } = trial;
  const launched = trial.launch();
  if (random.next() < 0.1) {
    await delay(random.below(500));
    await launched.killAll();
    return;
  }
  const service = await launched.started;
  tally.check(await trial.compareLatest(), when);
  const load = trial.load(service, { endsWithoutReply: true });
  await trial.acknowledgements(random.below(300), load);
  await delay(random.below(10));
  await killService(service, random);
  await load.ended;
}
