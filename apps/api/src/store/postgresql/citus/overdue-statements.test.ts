import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { findDriverError, isUnavailable } from '../errors.js';
import { createRunOnNode } from './durable-nodes.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('starts no statement for a node while one is overdue, and does for others', async () => {
  const runOnNode = createRunOnNode(1_000, (node) => `db-${node}`);
  const ends: (() => void)[] = [];
  const hang = vi.fn(() => new Promise<void>((resolve) => ends.push(resolve)));
  const hanging = [runOnNode(1, hang), runOnNode(1, hang)];
  vi.advanceTimersByTime(999);
  hanging.push(runOnNode(1, hang));
  vi.advanceTimersByTime(1);
  const error: unknown = await runOnNode(1, hang).catch((reason: unknown) => reason);
  expect(String(error)).toContain('db-1');
  const driverError = findDriverError(error);
  expect(driverError && isUnavailable(driverError)).toBe(true);
  expect(hang).toHaveBeenCalledTimes(3);
  expect(await runOnNode(2, async () => 'stored')).toBe('stored');

  for (const end of ends) end();
  await Promise.all(hanging);
  expect(await runOnNode(1, async () => 'stored')).toBe('stored');
});

it('forgets a statement that fails', async () => {
  const runOnNode = createRunOnNode(1_000, (node) => `db-${node}`);
  await expect(runOnNode(1, () => Promise.reject(new Error('away')))).rejects.toThrow('away');
  vi.advanceTimersByTime(5_000);
  expect(await runOnNode(1, async () => 'stored')).toBe('stored');
});
