import type { ServiceError } from '../../../errors/service-error.js';
import {
  type CommitHealth,
  type CommitRecord,
  createCommitRecord,
  failingAfterMs,
  recordCommit,
} from '../../../observe/commit-health.js';
import type { PlantInserter } from '../../../plants/plant-store.js';
import type { DatabaseLog } from '../../database.js';
import type { CommitProbe } from '../probe-commit.js';
import type { Node, Shard, ShardRouting } from './shard-queues.js';

/** The least fraction of all ids that a ready service can store. */
const minStorable = 0.5;

/** Shares are fractions, whose sum is not exact. */
const tolerance = 1e-9;

/** What the health of shards depends on. */
interface ShardHealthDependencies {
  readonly commits: Pick<ShardMonitor, 'findFailing' | 'succeeded'>;
  readonly database: {
    check(): Promise<void>;
    /** Probes the shard of an id; without an id, the table while it is not distributed. */
    probeCommit(probe?: CommitProbe): Promise<void>;
  };
  readonly log: Pick<DatabaseLog, 'info' | 'warn'>;
}

/**
 * Watches the commits to all shards. A service that is not ready gets no creates, so it has to probe commits by itself;
 * one that is ready probes those that fail, too, since few creates may come for them.
 */
export function createShardHealth({ commits, database, log }: ShardHealthDependencies): CommitHealth {
  const probeFailing = createProbes({ commits, database });
  let isDegraded = false;

  function logChange(failing: readonly FailingShard[]): void {
    if (failing.length > 0 && !isDegraded) {
      const error = failing.find((shard) => shard.error !== undefined)?.error;
      const err = error?.cause instanceof Error ? error.cause : error;
      log.warn({ failingShare: shareOf(failing), ...(err && { err }) }, 'degraded');
    }
    if (failing.length === 0 && isDegraded) log.info({}, 'no longer degraded');
    isDegraded = failing.length > 0;
  }

  return {
    async check() {
      const failing = commits.findFailing();
      if (!isEnough(failing)) return probeFailing(failing);
      logChange(failing);
      // The next check sees the result.
      if (failing.length > 0) probeFailing(failing).catch(() => undefined);
      await database.check();
    },
    warnings() {
      const failing = commits.findFailing();
      return failing.length === 0 ? [] : [describe(failing)];
    },
    failingShare: () => shareOf(commits.findFailing()),
  };
}

/** Creates a function that probes failing shards, and resolves as soon as enough do not fail any more. */
function createProbes({ commits, database }: Omit<ShardHealthDependencies, 'log'>) {
  /** The probes in progress, by node. */
  const probing = new Map<Node, Promise<void>>();

  /** Probes shards one after the other, until one fails. */
  async function probeNode(failing: readonly FailingShard[], onSuccess: () => void): Promise<void> {
    for (const { shard, node, id } of failing) {
      await database.probeCommit(id === undefined ? undefined : { id, node });
      commits.succeeded(shard);
      onSuccess();
    }
  }

  return function probeFailing(failing: readonly FailingShard[]): Promise<void> {
    // Side by side, since one node may hang.
    const nodes = [...Map.groupBy(rotate(failing), ({ node }) => node)];
    return new Promise((resolve, reject) => {
      const resolveIfEnough = () => {
        if (isEnough(commits.findFailing())) resolve();
      };
      const probes = nodes.map(([node, members]) => {
        const probe =
          probing.get(node) ?? probeNode(members, resolveIfEnough).finally(() => probing.delete(node));
        probing.set(node, probe);
        return probe;
      });
      // A probe that began before may have tried fewer.
      const rejectRest = () => reject(new Error('Too many commits are still failing'));
      Promise.all(probes).then(resolveIfEnough).then(rejectRest, reject);
    });
  };
}

function isEnough(failing: readonly FailingShard[]): boolean {
  return 1 - shareOf(failing) >= minStorable - tolerance;
}

function shareOf(failing: readonly FailingShard[]): number {
  return failing.reduce((sum, { share }) => sum + share, 0);
}

/** Begins with another one each time: the first one may fail for a reason of its own. */
function rotate<Item>(items: readonly Item[]): readonly Item[] {
  const start = Math.floor(Math.random() * items.length);
  return [...items.slice(start), ...items.slice(0, start)];
}

function describe(failing: readonly FailingShard[]): string {
  const percent = Math.ceil(100 * shareOf(failing) - tolerance);
  return `Plants with ${percent} % of the ids cannot be stored, since a part of the database fails. The line "degraded" of the log has the cause.`;
}

/** A shard whose commits are failing. */
export interface FailingShard {
  readonly shard: Shard;
  readonly node: Node;
  /** The id of the latest plant that was sent to it; `undefined` if the store has one shard. */
  readonly id: bigint | undefined;
  /** The fraction of all ids that it has, from 0 to 1. */
  readonly share: number;
  /** Why the latest commit failed; `undefined` if none has, but they hang. */
  readonly error: ServiceError | undefined;
}

/** Inserts into a store, and which of its shards are failing. */
export interface ShardMonitor {
  readonly insert: PlantInserter['insert'];
  /** The shards to which commits were attempted, but none has succeeded for long enough. */
  findFailing(): readonly FailingShard[];
  /** Records a commit to a shard that succeeded elsewhere. */
  succeeded(shard: Shard): void;
}

/** A shard that plants were sent to. */
interface SeenShard {
  readonly record: CommitRecord;
  latestId: bigint;
  error: ServiceError | undefined;
}

/**
 * Monitors whether the commits to each shard of a store succeed. A commit that hangs counts like one that fails with
 * a `ServiceError`: the database does not answer, or is damaged. Any other error means that the database has answered and
 * rejected a plant, which is neither a success nor a failure of the database.
 *
 * @param afterMs how long commits must have been without a success to count as failing, in milliseconds
 */
export function createShardMonitor(
  store: PlantInserter,
  routing: ShardRouting,
  afterMs = failingAfterMs,
): ShardMonitor {
  const seen = new Map<Shard, SeenShard>();

  /** Notes that a plant with this id is sent to its shard. */
  function see(id: bigint): SeenShard {
    const shard = routing.shardOf(id);
    let found = seen.get(shard);
    if (found === undefined) {
      found = { record: createCommitRecord(afterMs), latestId: id, error: undefined };
      seen.set(shard, found);
    }
    found.latestId = id;
    return found;
  }

  return {
    insert(plants) {
      const [first] = plants;
      if (first === undefined) return store.insert(plants);
      // The batcher takes the plants of a batch from one shard.
      const shard = see(first.id);
      return recordCommit(
        shard.record,
        () => store.insert(plants),
        (error) => {
          shard.error = error;
        },
      );
    },
    findFailing() {
      const failing = [...seen].filter(([, { record }]) => record.isFailing());
      return failing.map(([shard, { latestId, error }]) => ({
        shard,
        node: routing.nodes?.nodeOf(shard) ?? 0,
        id: routing.shareOf && latestId,
        share: routing.shareOf?.(shard) ?? 1,
        error,
      }));
    },
    succeeded: (shard) => seen.get(shard)?.record.succeeded(),
  };
}
