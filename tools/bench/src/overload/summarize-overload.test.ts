import { describe, expect, it } from 'vitest';
import { medianFirstReply, summarizeOverload } from './summarize-overload.js';

it('takes the medians of the rounds, and all their failed requests', () => {
  const rounds = [
    { storedPerSecond: 500, rejectedPerSecond: 20, firstReplyMs: 3, failed: 0 },
    { storedPerSecond: 700, rejectedPerSecond: 60, firstReplyMs: 9, failed: 2 },
    { storedPerSecond: 600, rejectedPerSecond: 10, firstReplyMs: 5, failed: 1 },
  ];
  expect(summarizeOverload(rounds)).toEqual({
    storedPerSecond: 600,
    rejectedPerSecond: 20,
    firstReplyMs: 5,
    failed: 3,
  });
});

describe('the median time to the first reply', () => {
  it('counts a connection without a reply as one that has waited longer than the others', () => {
    expect(medianFirstReply([4, 2, 6], 5)).toBe(6);
  });

  it.each([
    ['half of', [1, 2], 4],
    ['all', [], 3],
  ])('is an error if %s the connections got no reply', (_, repliesMs, connections) => {
    expect(() => medianFirstReply(repliesMs, connections)).toThrow(
      `Only ${repliesMs.length} of ${connections} connections got a reply`,
    );
  });
});
