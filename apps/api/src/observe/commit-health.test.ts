import { ServiceError } from '@plant-store/records';
import { expect, it, vi } from 'vitest';
import { createCommitRecord } from './commit-health.js';

const away = new ServiceError('database_unavailable', 'away');

/** A record of commits that count as failing at once; probes fail until `answer` is called. */
function createTestRecord() {
  const check = vi.fn(async () => undefined);
  let isAway = true;
  const probeCommit = vi.fn(async () => {
    if (isAway) throw away;
  });
  const answer = () => {
    isAway = false;
  };
  const commits = createCommitRecord({ check, probeCommit }, 0);
  const end = (error?: unknown) => commits.end(commits.begin(1), error);
  /** Whether commits count as failing, and one is probed. */
  const isFailing = async () => {
    const probes = probeCommit.mock.calls.length;
    await commits.check().catch(() => undefined);
    return probeCommit.mock.calls.length > probes;
  };
  return { commits, end, check, probeCommit, answer, isFailing };
}

it('only checks the database while no commit fails', async () => {
  const { commits, check, probeCommit } = createTestRecord();
  await commits.check();
  expect([check, probeCommit].map(({ mock }) => mock.calls.length)).toEqual([1, 0]);
});

it('probes commits while they fail, one at a time, until one succeeds', async () => {
  const { commits, end, check, probeCommit, answer } = createTestRecord();
  end(away);
  const results = await Promise.allSettled([commits.check(), commits.check()]);
  expect(results).toEqual(Array(2).fill({ status: 'rejected', reason: away }));
  expect(probeCommit).toHaveBeenCalledTimes(1);
  answer();
  await commits.check();
  expect(check).not.toHaveBeenCalled();
  await commits.check();
  expect(check).toHaveBeenCalledTimes(1);
});

it('treats a hanging commit as a failing one', async () => {
  const { commits, isFailing } = createTestRecord();
  const commit = commits.begin(1);
  expect(await isFailing()).toBe(true);
  commits.end(commit);
  expect(await isFailing()).toBe(false);
});

it('treats a rejected plant neither as a failure of the database nor as a success', async () => {
  const { end, isFailing } = createTestRecord();
  const rejected = new Error('this plant violates a constraint');
  end(rejected);
  expect(await isFailing()).toBe(false);
  end(away);
  end(rejected);
  expect(await isFailing()).toBe(true);
  end();
  expect(await isFailing()).toBe(false);
});
