import { type Item, medianOf, ok, type Result, warning } from './finding.js';
import type { PostgresqlContext } from './postgresql-context.js';
import { queryRow } from './postgresql-context.js';

const roundTrips = 9;

/** The round trip above which the server is far away, in milliseconds. */
const farMs = 5;

/** How long the shortest query takes. */
export const roundTrip: Item<PostgresqlContext> = {
  name: 'round trip',
  async inspect({ connection }) {
    const times: number[] = [];
    for (let count = 0; count < roundTrips; count++) {
      const before = performance.now();
      await connection.query('SELECT 1');
      times.push(performance.now() - before);
    }
    return assessRoundTrip(medianOf(times));
  },
};

/** @param medianMs of the measured queries, in milliseconds */
export function assessRoundTrip(medianMs: number): Result {
  const found = `${medianMs.toFixed(2)} ms (median)`;
  if (medianMs <= farMs) return ok(found);
  return warning(
    `${found}: each create waits for at least one`,
    'Run the service near the database, in the same zone of a cloud.',
  );
}

/** The difference of two clocks from which on it matters, in milliseconds. */
const maxDifferenceMs = 1_000;

/** Whether the clocks of this machine and of the server agree: tokens expire by that of the machine of each service. */
export const clock: Item<PostgresqlContext> = {
  name: 'clock',
  async inspect({ connection, now }) {
    const before = now();
    const { time } = await queryRow<{ time: number }>(
      connection,
      'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS time',
    );
    const after = now();
    return assessClock({ differenceMs: (before + after) / 2 - time, uncertainMs: (after - before) / 2 });
  },
};

/** How far the clock of this machine is ahead of the server's, and how uncertain that is, in milliseconds. */
export interface ClockDifference {
  readonly differenceMs: number;
  readonly uncertainMs: number;
}

export function assessClock({ differenceMs, uncertainMs }: ClockDifference): Result {
  const size = Math.abs(differenceMs);
  if (size - uncertainMs <= maxDifferenceMs) return ok("agrees with the server's within a second");
  const direction = differenceMs > 0 ? 'ahead of' : 'behind';
  return warning(
    `the clock of this machine is ${(size / 1_000).toFixed(1)} s ${direction} the server's, and tokens expire by it`,
    'Synchronize the clocks of both, by chrony or systemd-timesyncd.',
  );
}
