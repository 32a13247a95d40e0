import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ServiceError } from '../../errors/service-error.js';
import type { InsertOutcome } from '../plant-store.js';
import { createCommitMonitor, failingAfterMs } from './commit-monitor.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Monitored commits that the test resolves or rejects. */
function createHeldCommits() {
  const held: { succeed(): void; fail(): void; reject(): void }[] = [];
  const commits = createCommitMonitor({
    insert: () =>
      new Promise<readonly InsertOutcome[]>((resolve, reject) => {
        held.push({
          succeed: () => resolve([]),
          fail: () => reject(new ServiceError('database_unavailable', 'no disk')),
          reject: () => reject(new Error('this plant violates a constraint')),
        });
      }),
  });
  const begin = () => commits.insert([]).catch(() => undefined);
  return { commits, held, begin };
}

it('are not failing before the first one', () => {
  const { commits } = createHeldCommits();
  vi.advanceTimersByTime(10 * failingAfterMs);
  expect(commits.areFailing()).toBe(false);
});

it('are failing once none has succeeded for a while, whether they fail or hang', async () => {
  const { commits, held, begin } = createHeldCommits();
  const failing = begin();
  held[0]?.fail();
  await failing;
  void begin();
  vi.advanceTimersByTime(failingAfterMs - 1);
  expect(commits.areFailing()).toBe(false);
  vi.advanceTimersByTime(1);
  expect(commits.areFailing()).toBe(true);
});

it('are not failing because a plant was rejected', async () => {
  const { commits, held, begin } = createHeldCommits();
  const rejected = begin();
  held[0]?.reject();
  await rejected;
  vi.advanceTimersByTime(10 * failingAfterMs);
  expect(commits.areFailing()).toBe(false);
});

it('are still failing when a plant was rejected meanwhile', async () => {
  const { commits, held, begin } = createHeldCommits();
  const both = [begin(), begin()];
  held[0]?.fail();
  vi.advanceTimersByTime(failingAfterMs);
  held[1]?.reject();
  await Promise.all(both);
  expect(commits.areFailing()).toBe(true);
});

it('stop failing with the first one that succeeds', async () => {
  const { commits, held, begin } = createHeldCommits();
  const first = begin();
  vi.advanceTimersByTime(failingAfterMs);
  expect(commits.areFailing()).toBe(true);
  held[0]?.succeed();
  await first;
  expect(commits.areFailing()).toBe(false);
});

it('stop failing once one has succeeded elsewhere, until those in flight have hung as long again', () => {
  const { commits, begin } = createHeldCommits();
  void begin();
  vi.advanceTimersByTime(failingAfterMs);
  commits.succeeded();
  expect(commits.areFailing()).toBe(false);
  vi.advanceTimersByTime(failingAfterMs);
  expect(commits.areFailing()).toBe(true);
});
