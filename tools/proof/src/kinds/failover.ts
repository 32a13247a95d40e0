import { setTimeout as delay } from 'node:timers/promises';
import { type Kind, trialsOf } from '../load/kind.js';
import type { Proof } from '../proof.js';
import { withFolder } from '../system/databases.js';
import { until } from '../system/programs.js';
import { type Cluster, findMissingCluster, withCluster } from './failover-cluster.js';

/** How long the load runs with every server before each kill, in milliseconds. */
const beforeKillMs = 5_000;
/** How long a failover may take, in milliseconds. Only one that hangs takes this long. */
const failoverTimeoutMs = 180_000;

/**
 * Kills the primary of PostgreSQL servers that have the configurations of deploy/high-availability, with Patroni, etcd and
 * HAProxy, under load; brings it back, and waits until it is a standby.
 */
function killPrimary(
  name: string,
  title: string,
  killed: Parameters<Cluster['killPrimary']>[0],
  full: number,
  servers = 2,
): Kind<Cluster> {
  return {
    name,
    promise: `A 200 survives ${title}, and the service runs on`,
    short: 1,
    full,
    followed: 1,
    findObstacle: findMissingCluster,
    withPlace: (trial) => withFolder((folder) => withCluster(folder, servers, trial)),
    async breakOnce({ trial, place: cluster, tally }) {
      const { ledger } = trial;
      const service = await trial.service();
      const load = await trial.load({ pauseMs: 10, replyTimeoutMs: failoverTimeoutMs });
      await delay(beforeKillMs);
      const failedBefore = ledger.unavailable + ledger.missingReplies;
      ledger.longestGapMs = 0;
      const primary = await cluster.killPrimary(killed);
      // Requests in flight may still be acknowledged; after that nothing is, for more than a second.
      const isGone = () => performance.now() - ledger.acknowledgedAt > 1_000 || ledger.failures.length > 0;
      await until(isGone, 'the killed primary is missed', { timeoutMs: failoverTimeoutMs });
      await trial.acknowledgements(32, load, failoverTimeoutMs);
      tally.list('seconds without service', (ledger.longestGapMs / 1_000).toFixed(1));
      tally.list('failed attempts', String(ledger.unavailable + ledger.missingReplies - failedBefore));
      const broughtBackAt = performance.now();
      await cluster.bringBack(primary);
      tally.list('seconds until it is a standby', ((performance.now() - broughtBackAt) / 1_000).toFixed(1));
      await load.stop();
      if (service.hasEnded()) tally.fail(`The service ended:\n${service.readLog().slice(-2_000)}`);
    },
  };
}

export const failover: Proof = [
  trialsOf(killPrimary('failover-machine', 'the loss of a primary with its machine', 'machine', 5)),
  trialsOf(killPrimary('failover-postgresql', 'a crash of a primary', 'postgresql', 5)),
  trialsOf(killPrimary('failover-patroni', 'the loss of the Patroni of a primary', 'patroni', 3)),
  trialsOf(killPrimary('failover-three', 'the loss of one of three machines', 'machine', 5, 3)),
];
