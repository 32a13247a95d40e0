import { messageOf } from '../errors/operator-error.js';
import { confirmDurable } from '../store/postgresql/durable-read.js';
import { failure, type Item, medianOf, ok, type Result, warning } from './finding.js';
import type { PostgresqlContext } from './postgresql-context.js';

const commits = 9;

/** The time above which commits are slow, in milliseconds. */
const slowMs = 20;

/**
 * How long a commit takes: until it is on the disk, and on the synchronous standby. Each writes an empty message to the
 * write-ahead log, as the retry of a create does, which changes no data.
 */
export const commit: Item<PostgresqlContext> = {
  name: 'commit',
  async inspect({ connection, pending }) {
    if (pending?.length !== 0) return [];
    try {
      const times: number[] = [];
      while (times.length < commits) {
        const before = performance.now();
        await connection.query(confirmDurable);
        times.push(performance.now() - before);
      }
      return assessCommitTime(medianOf(times));
    } catch (error) {
      return failure(
        `a commit is not acknowledged: ${messageOf(error)}`,
        'Look at the standbys in synchronous_standby_names, and at the disk and the log of the server.',
      );
    }
  },
};

/** @param medianMs of the measured commits, in milliseconds */
export function assessCommitTime(medianMs: number): Result {
  const found = `${medianMs.toFixed(2)} ms (median), which concurrent creates share`;
  if (medianMs <= slowMs) return ok(found);
  return warning(
    `${found}; a create alone takes at least that long`,
    'Look at the disk of the server, the round trip, and the synchronous standby.',
  );
}
