import { median, medians } from '@plant-store/report';
import type { OverloadResult } from './overload-load.js';

/** Summarizes the rounds of one number of connections: medians, and the sum of the failed requests. */
export function summarizeOverload(rounds: readonly OverloadResult[]): OverloadResult {
  return {
    ...medians(rounds, 'storedPerSecond', 'rejectedPerSecond', 'firstReplyMs'),
    failed: rounds.reduce((sum, { failed }) => sum + failed, 0),
  };
}

/**
 * The median time to the first reply of all connections, in milliseconds. Those without a reply have waited longer than
 * the others.
 *
 * @param repliesMs the times of those that got a reply
 * @throws {Error} if half of the connections or more got none
 */
export function medianFirstReply(repliesMs: readonly number[], connections: number): number {
  const unanswered = Array<number>(connections - repliesMs.length).fill(Number.POSITIVE_INFINITY);
  const middle = median([...repliesMs, ...unanswered]);
  if (!Number.isFinite(middle)) {
    throw new Error(`Only ${repliesMs.length} of ${connections} connections got a reply`);
  }
  return middle;
}
