import { contract } from '@plant-store/contract';
import { describe, expect, it } from 'vitest';
import { isDeclaredStatus } from './declared-status.js';

const statuses = Array.from({ length: 500 }, (_, index) => index + 100);

describe('isDeclaredStatus', () => {
  it.each(Object.entries(contract))('agrees with the contract about %s', (_, { responses }) => {
    expect(statuses.filter(isDeclaredStatus)).toEqual(Object.keys(responses).map(Number));
  });

  it('knows no status beyond those of HTTP', () => {
    expect([0, -1, 600, Number.NaN].filter(isDeclaredStatus)).toEqual([]);
  });
});
