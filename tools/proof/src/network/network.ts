import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createDatabase } from '@plant-store/postgresql-server';
import { openPostgresqlDatabase } from '../databases/postgresql.js';
import { withFolder } from '../databases/with-databases.js';
import type { Random } from '../load/random.js';
import { createRandom } from '../load/random.js';
import type { Load } from '../load/start-load.js';
import { Tally } from '../load/tally.js';
import { type Trial, withTrial } from '../load/trial.js';
import type { Proof, ProofContext, ProofResult } from '../proof.js';
import { type Impairment, unimpaired } from './impair-packet.js';
import { type DatabaseNetwork, findObstacle, withNetwork } from './network-link.js';

const promise = 'A 200 survives a network that fails, and the service answers in time and recovers by itself';
const statementTimeoutMs = 1_000;
/** A statement may take its timeout, and its reply a second more; the rest is for a slow machine. */
const replyTimeoutMs = statementTimeoutMs + 1_000 + 10_000;
/** How long the service may take until it stores plants again; most of it is for a slow machine. */
const recoveryLimitMs = 15_000;
const partitionsPerComparison = 10;

/**
 * Delays, loses, duplicates and reorders packets between the service and PostgreSQL, and cuts the link again and again, in
 * one direction or both.
 */
export const network: Proof = async (context) => {
  const notRun = await findObstacle();
  if (notRun !== undefined) return [{ promise, figures: {}, failures: [], notRun }];
  const { seed, settings } = context;
  const random = createRandom(seed);
  const result = await withFolder((folder) =>
    withNetwork(folder, seed, async (link) => {
      const database = openPostgresqlDatabase(await createDatabase(link.serverUrl));
      const options = {
        database,
        random,
        logFile: join(folder, 'service.log'),
        settings: { DATABASE_STATEMENT_TIMEOUT_MS: String(statementTimeoutMs), ...settings },
      };
      return withTrial(options, (trial) => cutRepeatedly(trial, link, context));
    }),
  );
  return [result];
};

async function cutRepeatedly(
  trial: Trial,
  link: DatabaseNetwork,
  { amount, trials, log }: ProofContext,
): Promise<ProofResult> {
  const partitions = trials?.['network'] ?? { short: 3, full: 50 }[amount];
  const tally = new Tally();
  const service = await trial.launch().started;
  let [done, longestRecoveryMs, longestReplyMs, lostReplies] = [0, 0, 0, 0];
  while (done < partitions && tally.failures.length === 0) {
    const load = trial.load(service, { endsWithoutReply: false, replyTimeoutMs, pauseMs: 5 });
    const enough = Math.min(partitions, done + partitionsPerComparison);
    for (; done < enough && trial.ledger.failures.length === 0; done++) {
      const recoveryMs = await cutOnce(trial, link, load);
      longestRecoveryMs = Math.max(longestRecoveryMs, recoveryMs);
      if (recoveryMs > recoveryLimitMs) tally.failures.push(`Nothing was stored for ${recoveryMs} ms`);
    }
    await load.stop();
    longestReplyMs = Math.max(longestReplyMs, load.longestReplyMs());
    lostReplies = trial.ledger.missingReplies;
    tally.check(await trial.compareLatest(), `after partition ${done}`);
    if (lostReplies > 0) tally.failures.push(`${lostReplies} requests had no reply`);
    if (service.hasEnded()) tally.failures.push(`The service ended:\n${service.readLog().slice(-2_000)}`);
    log(`cut the network ${done} of ${partitions} times`);
  }
  tally.addDatabase(await trial.compareAll(), []);
  const status = await service.kill('SIGTERM');
  if (status !== 0) tally.failures.push(`The service ended with status ${status} on SIGTERM`);
  return tally.toResult(promise, {
    partitions: done,
    'rejected with 503': trial.ledger.unavailable,
    'longest reply in ms': Math.round(longestReplyMs),
    'longest time from healing to a 200 in ms': Math.round(longestRecoveryMs),
  });
}

/**
 * Impairs the link for a while, cuts it, and heals it.
 *
 * @returns how long after that the first creates were acknowledged, in milliseconds
 */
async function cutOnce(trial: Trial, link: DatabaseNetwork, load: Load): Promise<number> {
  const { random } = trial;
  const weather = createWeather(random);
  link.impair(weather);
  await trial.acknowledgements(20 + random.below(100), load);
  const cut = random.pick(['both', 'to database', 'from database'] as const);
  link.impair({ ...weather, cut });
  await delay(random.below(2 * (statementTimeoutMs + 1_000)));
  link.impair(unimpaired);
  const healedAt = performance.now();
  // More than there are connections, so that not all of them were answered before.
  await trial.acknowledgements(32, load);
  return performance.now() - healedAt;
}

function createWeather(random: Random): Impairment {
  return {
    delayMs: random.below(10),
    jitterMs: random.below(10),
    loss: random.next() * 0.03,
    duplicate: random.next() * 0.05,
    reorder: random.next() * 0.05,
    cut: 'none',
  };
}
