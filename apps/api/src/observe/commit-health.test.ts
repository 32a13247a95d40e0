import { expect, it, vi } from 'vitest';
import { ServiceError } from '../errors/service-error.js';
import { createCommitHealth, createCommitRecord, recordCommit } from './commit-health.js';

const away = new ServiceError('database_unavailable', 'away');

/** The health of commits that count as failing at once; probes fail until `answer` is called. */
function createTestHealth() {
  const record = createCommitRecord(0);
  const check = vi.fn(async () => undefined);
  let isAway = true;
  const probeCommit = vi.fn(async () => {
    if (isAway) throw away;
  });
  const answer = () => {
    isAway = false;
  };
  return { record, health: createCommitHealth(record, { check, probeCommit }), check, probeCommit, answer };
}

it('asks the database alone while no commit fails', async () => {
  const { health, check, probeCommit } = createTestHealth();
  await health.check();
  expect([check, probeCommit].map(({ mock }) => mock.calls.length)).toEqual([1, 0]);
  expect([health.failingShare(), health.warnings()]).toEqual([0, []]);
});

it('probes a commit while they fail, one at a time, until one succeeds', async () => {
  const { record, health, check, probeCommit, answer } = createTestHealth();
  await expect(recordCommit(record, () => Promise.reject(away))).rejects.toBe(away);
  expect(health.failingShare()).toBe(1);
  const results = await Promise.allSettled([health.check(), health.check()]);
  expect(results).toEqual(Array(2).fill({ status: 'rejected', reason: away }));
  expect(probeCommit).toHaveBeenCalledTimes(1);
  answer();
  await health.check();
  expect(health.failingShare()).toBe(0);
  expect(check).not.toHaveBeenCalled();
  await health.check();
  expect(check).toHaveBeenCalledTimes(1);
});

it('takes neither a rejected plant for a failure of the database, nor for a success', async () => {
  const { record, health } = createTestHealth();
  const rejected = new Error('this plant violates a constraint');
  const reject = () => recordCommit(record, () => Promise.reject(rejected));
  await expect(reject()).rejects.toBe(rejected);
  expect(health.failingShare()).toBe(0);
  await expect(recordCommit(record, () => Promise.reject(away))).rejects.toBe(away);
  await expect(reject()).rejects.toBe(rejected);
  expect(health.failingShare()).toBe(1);
  await recordCommit(record, async () => []);
  expect(health.failingShare()).toBe(0);
});
