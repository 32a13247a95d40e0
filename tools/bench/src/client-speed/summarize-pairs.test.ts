import { describe, expect, it } from 'vitest';
import { summarizePairs } from './summarize-pairs.js';

describe('summarizePairs', () => {
  it('takes the median of the ratios, not the ratio of the medians', () => {
    const pairs = [
      { fetch: 1_000, client: 900 },
      { fetch: 100, client: 95 },
      { fetch: 2_000, client: 1_000 },
    ];
    expect(summarizePairs(16, pairs)).toEqual({
      concurrency: 16,
      fetch: 1_000,
      client: 900,
      ratio: 0.9,
      pairs,
    });
  });
});
