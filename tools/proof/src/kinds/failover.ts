import { setTimeout as delay } from 'node:timers/promises';
import { type Kind, trialsOf } from '../load/kind.js';
import type { Proof } from '../proof.js';
import { withFolder } from '../system/databases.js';
import { waitUntil } from '../system/programs.js';
import { type Cluster, findMissingClusterProgram, withCluster } from './failover-cluster.js';

/** How long the load runs on all servers before each kill. */
const beforeKillMs = 5_000;

/** How long a failover may take. Only a failover that hangs takes this long. */
const failoverTimeoutMs = 180_000;

/**
 * Returns a kind that kills the primary PostgreSQL server under load, brings it back, and waits until it is a standby. The servers,
 * Patroni, etcd, and HAProxy have the configurations of deploy/high-availability.
 */
function primaryLoss(
  name: string,
  title: string,
  killed: Parameters<Cluster['killPrimary']>[0],
  full: number,
  servers = 2,
): Kind<Cluster> {
  return {
    name,
    promise: `A 200 survives ${title}, and the service keeps running`,
    short: 1,
    full,
    followedInstances: 1,
    findMissingRequirement: findMissingClusterProgram,
    withTestBed: (run) => withFolder((folder) => withCluster(folder, servers, run)),
    async injectFault({ trial, testBed: cluster, tally }) {
      const { ledger } = trial;
      const service = await trial.runningService();
      const load = await trial.startLoad({ pauseMs: 10, replyTimeoutMs: failoverTimeoutMs });
      await delay(beforeKillMs);
      const failedBefore = ledger.unavailable + ledger.missingReplies;
      ledger.longestGapMs = 0;
      const primary = await cluster.killPrimary(killed);
      // Requests in flight can still be acknowledged.
      const isGone = () => performance.now() - ledger.acknowledgedAt > 1_000 || ledger.failures.length > 0;
      await waitUntil(isGone, 'nothing is acknowledged for a second', { timeoutMs: failoverTimeoutMs });
      await trial.waitForAcknowledgements(32, load, failoverTimeoutMs);
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
  trialsOf(primaryLoss('failover-machine', 'the loss of a primary with its machine', 'machine', 5)),
  trialsOf(primaryLoss('failover-postgresql', 'a crash of a primary', 'postgresql', 5)),
  trialsOf(primaryLoss('failover-patroni', 'the loss of the Patroni of a primary', 'patroni', 3)),
  trialsOf(primaryLoss('failover-three', 'the loss of one of three machines', 'machine', 5, 3)),
];
