import type { Plant } from '@plant-store/contract';
import { createCommitRecord, failingAfterMs } from '../../../src/observe/commit-health.js';
import { type PlantQueue, plantTable } from '../../../src/plants/plant-store.js';
import { ActiveCallers } from '../../../src/runtime/callers.js';
import { type CommitQueueOptions, createCommitQueue } from '../../../src/store/commit-queue.js';

/** Limits that no test reaches by accident. */
export const highQueueLimits = { queuePlants: 100, queueBytes: 1e6, batchPlants: 100, batchBytes: 1e6 };

/** Creates the queue of a store, for one caller alone and with one commit in flight at a time unless the options say so. */
export function createTestQueue(
  store: CommitQueueOptions<Plant>['store'],
  options: Partial<CommitQueueOptions<Plant>> = {},
): PlantQueue {
  const working = { check: async () => undefined, probeCommit: async () => undefined };
  return createCommitQueue({
    ...{ store, table: plantTable, concurrency: 1, limits: highQueueLimits, callers: new ActiveCallers() },
    ...{ commits: createCommitRecord(working, failingAfterMs), ...options },
  });
}
