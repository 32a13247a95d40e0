import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type KillableServer, startPostgresqlServer } from '../databases/postgresql.js';
import { withFolder } from '../databases/with-databases.js';
import { createRandom } from '../load/random.js';
import { Tally } from '../load/tally.js';
import { type Trial, withTrial } from '../load/trial.js';
import type { ProofContext, ProofResult } from '../proof.js';
import type { RunningService } from '../service/start-service.js';
import { compareAtEnd } from './compare-at-end.js';
import { killService } from './kill-service.js';

const promise = 'A 200 survives a crash of PostgreSQL, of the service on it, and of both';
/** After so many kills the whole database is compared, and the next one begins. */
const killsPerDatabase = 50;
const targets = ['PostgreSQL', 'the service', 'both'] as const;
type KillTarget = (typeof targets)[number];

/** Kills PostgreSQL under a running service, the service on PostgreSQL, and both. */
export async function crashPostgresql({
  seed,
  amount,
  settings,
  trials,
  log,
}: ProofContext): Promise<ProofResult> {
  const notRun =
    process.platform === 'linux' ? undefined : 'It needs Linux, where processes have lists of children.';
  if (notRun !== undefined) return { promise, figures: {}, failures: [], notRun };
  const kills = trials?.['crash-postgresql'] ?? { short: 3, full: 300 }[amount];
  const random = createRandom(seed);
  const tally = new Tally();
  const done: Record<KillTarget, number> = { PostgreSQL: 0, 'the service': 0, both: 0 };
  const count = () => done.PostgreSQL + done['the service'] + done.both;
  await withFolder(async (folder) => {
    const server = await startPostgresqlServer(folder);
    while (count() < kills && tally.failures.length === 0) {
      const database = await server.createDatabase();
      const logFile = join(folder, 'service.log');
      const enough = Math.min(kills, count() + killsPerDatabase);
      await withTrial({ database, random: random.fork(), logFile, settings }, async (trial) => {
        let service = await trial.launch().started;
        while (count() < enough && tally.failures.length === 0) {
          // Each target first once, so that a short run has all.
          const target = targets[count()] ?? random.pick(targets);
          service = await killOnce(trial, server, service, target);
          done[target]++;
          tally.check(await trial.compareLatest(), `after kill ${count()}, of ${target}`);
        }
        await service.killAll();
        await compareAtEnd(trial, tally);
      });
      log(`killed PostgreSQL or the service ${count()} of ${kills} times`);
    }
    await server.stop();
  });
  return tally.toResult(promise, {
    kills: count(),
    'of PostgreSQL': done.PostgreSQL,
    'of the service': done['the service'],
    'of both': done.both,
  });
}

/**
 * Kills the target under load and starts it again.
 *
 * @returns the service that runs then, which has acknowledged creates again
 */
async function killOnce(
  trial: Trial,
  server: KillableServer,
  service: RunningService,
  target: KillTarget,
): Promise<RunningService> {
  const { random } = trial;
  const load = trial.load(service, { endsWithoutReply: target !== 'PostgreSQL' });
  await trial.acknowledgements(random.below(300), load);
  await delay(random.below(10));
  if (target === 'PostgreSQL') {
    await server.killAll();
    await delay(random.below(300));
    await server.start();
    // By itself: the service is not restarted.
    await trial.acknowledgements(20, load);
    await load.stop();
    if (service.hasEnded()) throw new Error(`The service ended without PostgreSQL:\n${service.readLog()}`);
    return service;
  }
  await Promise.all([killService(service, random), target === 'both' && server.killAll()]);
  await load.ended;
  if (target === 'both') await server.start();
  return trial.launch().started;
}
