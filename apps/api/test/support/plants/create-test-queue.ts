import type { Plant } from '@plant-store/contract';
import { createCommitRecord, failingAfterMs } from '../../../src/observe/commit-health.js';
import { ActiveCallers } from '../../../src/runtime/callers.js';
import { type CommitQueueOptions, createCommitQueue } from '../../../src/store/commit-queue.js';
import type { RecordStore } from '../../../src/store/store.js';

/** Limits that no test reaches by accident. */
export const highQueueLimits = { queueRecords: 100, queueBytes: 1e6, batchRecords: 100, batchBytes: 1e6 };

/** Creates the queue of a database, for only one caller unless the options say so. */
export function createTestQueue(
  database: CommitQueueOptions['database'],
  options: Partial<Omit<CommitQueueOptions, 'database'>> = {},
) {
  const working = { check: async () => undefined, probeCommit: async () => undefined };
  return createCommitQueue({
    database,
    limits: highQueueLimits,
    callers: new ActiveCallers(),
    commits: createCommitRecord(working, failingAfterMs),
    ...options,
  });
}

/** A database that has plants, and stores their creates and their changes in a commit each. */
export function databaseOf(
  store: Pick<RecordStore<Plant>, 'create' | 'change'>,
  concurrentCommits = 1,
): CommitQueueOptions['database'] {
  return {
    concurrentCommits,
    writesTogether: false,
    write(writes) {
      const { create, change } = store as unknown as RecordStore;
      const records = writes.flatMap(({ record }) => record ?? []);
      return records.length > 0 ? create(records) : change(writes.flatMap((write) => write.change ?? []));
    },
  };
}
