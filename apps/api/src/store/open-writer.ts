import { measureInserts } from '../observe/metrics.js';
import { createCommitHealth, createCommitRecord, recordCommit } from '../plants/commit-health.js';
import type { PlantStore } from '../plants/plant-store.js';
import { createBatcher, createSingleQueue } from './batcher.js';
import type { Database, OpenWriter, WriterOptions } from './database.js';

/** A store whose plants can all share a commit. */
interface SingleTable extends Pick<Database, 'check' | 'probeCommit'> {
  readonly insert: PlantStore['insert'];
  /** How many inserts may be in flight. */
  readonly inserts: number;
}

/** Opens the writer of a store: a queue, whose batches are recorded for the health of commits, measured, and inserted. */
export function openWriter(
  { insert, inserts, check, probeCommit }: SingleTable,
  { limits, failingAfterMs, metrics }: Omit<WriterOptions, 'log'>,
): OpenWriter {
  const commits = createCommitRecord(failingAfterMs);
  const measured = metrics === undefined ? insert : measureInserts({ insert }, metrics).insert;
  const plants = createBatcher(
    (batch) => recordCommit(commits, () => measured(batch)),
    limits,
    () => createSingleQueue(limits, inserts),
  );
  return { plants, health: createCommitHealth(commits, { check, probeCommit }) };
}
