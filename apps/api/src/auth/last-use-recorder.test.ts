import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import {
  collectionMs,
  createLastUseRecorder,
  lastUseResolutionMs,
  maxUsesPerWrite,
  retryMs,
} from './last-use-recorder.js';
import type { TokenUse } from './token-service.js';

/** The time of the test: that of the fake timers. */
const startedAt = Date.parse('2026-03-04T05:06:07.890Z');
const at = (afterMs: number) => new Date(startedAt + afterMs);

const recordUses = vi.fn<(uses: readonly TokenUse[]) => Promise<void>>();
const warn = vi.fn();
let recorder: ReturnType<typeof createLastUseRecorder>;

beforeEach(() => {
  vi.useFakeTimers({ now: startedAt });
  recordUses.mockReset().mockResolvedValue();
  warn.mockReset();
  recorder = createLastUseRecorder({ recordUses }, { warn });
});
afterEach(() => void vi.useRealTimers());

/** The uses in each write so far. */
const writes = () => recordUses.mock.calls.map(([uses]) => uses);

it('stores uses together, some seconds after the first, with the latest time of each token', async () => {
  recorder.note({ id: 1, lastUsedAt: null });
  recorder.note({ id: 2, lastUsedAt: at(-lastUseResolutionMs) });
  await vi.advanceTimersByTimeAsync(collectionMs - 1);
  recorder.note({ id: 1, lastUsedAt: null });
  expect(writes()).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(writes()).toEqual([
    [
      { id: 1, at: at(collectionMs - 1) },
      { id: 2, at: at(0) },
    ],
  ]);
  await vi.advanceTimersByTimeAsync(10 * retryMs);
  expect(writes()).toHaveLength(1);
});

it('stores nothing while the stored time is less than an hour old, or in the future', async () => {
  recorder.note({ id: 1, lastUsedAt: at(1 - lastUseResolutionMs) });
  recorder.note({ id: 2, lastUsedAt: at(60_000) });
  expect(vi.getTimerCount()).toBe(0);
  await recorder.close(1_000);
  expect(writes()).toEqual([]);
});

it('retries a failed write together with later notes, and logs the first failure', async () => {
  const failure = new Error('read-only');
  recordUses.mockRejectedValueOnce(failure).mockRejectedValueOnce(new Error('still read-only'));
  recorder.note({ id: 1, lastUsedAt: null });
  await vi.advanceTimersByTimeAsync(collectionMs);
  recorder.note({ id: 2, lastUsedAt: null });
  await vi.advanceTimersByTimeAsync(retryMs - 1);
  expect(writes()).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1 + retryMs);
  const both = [
    { id: 1, at: at(0) },
    { id: 2, at: at(collectionMs) },
  ];
  expect(writes()).toEqual([[{ id: 1, at: at(0) }], both, both]);
  expect(warn.mock.calls).toEqual([[{ err: failure }, 'could not record when tokens were last used']]);

  recordUses.mockRejectedValueOnce(failure);
  recorder.note({ id: 3, lastUsedAt: null });
  await vi.advanceTimersByTimeAsync(collectionMs);
  expect(warn).toHaveBeenCalledTimes(2);
});

it('stores uses noted during a write later', async () => {
  const { promise: written, resolve } = Promise.withResolvers<void>();
  recordUses.mockReturnValueOnce(written);
  recorder.note({ id: 1, lastUsedAt: null });
  await vi.advanceTimersByTimeAsync(collectionMs);
  recorder.note({ id: 2, lastUsedAt: null });
  resolve();
  await vi.advanceTimersByTimeAsync(collectionMs);
  expect(writes()).toEqual([[{ id: 1, at: at(0) }], [{ id: 2, at: at(collectionMs) }]]);
});

it('makes one write at a time, and delays the next one after a failure even if more uses are noted', async () => {
  const { promise: written, reject } = Promise.withResolvers<void>();
  recordUses.mockReturnValueOnce(written);
  recorder.note({ id: 1, lastUsedAt: null });
  await vi.advanceTimersByTimeAsync(collectionMs);
  recorder.note({ id: 2, lastUsedAt: null });
  await vi.advanceTimersByTimeAsync(3 * collectionMs);
  expect(writes()).toHaveLength(1);
  reject(new Error('away'));
  await vi.advanceTimersByTimeAsync(retryMs - 1);
  expect(writes()).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(writes()[1]).toHaveLength(2);
});

it('stores many tokens in parts, and the rest when it is closed', async () => {
  for (let id = 1; id <= 4 * maxUsesPerWrite + 1; id++) recorder.note({ id, lastUsedAt: null });
  await vi.advanceTimersByTimeAsync(collectionMs);
  expect(writes().map(({ length }) => length)).toEqual([maxUsesPerWrite]);
  await vi.advanceTimersByTimeAsync(collectionMs);
  expect(writes().map(({ length }) => length)).toEqual([maxUsesPerWrite, maxUsesPerWrite]);
  await recorder.close(1_000);
  expect(writes().map(({ length }) => length)).toEqual([...Array(4).fill(maxUsesPerWrite), 1]);
  expect(new Set(writes().flatMap((uses) => uses.map(({ id }) => id))).size).toBe(4 * maxUsesPerWrite + 1);
});

it('stores the notes when it is closed, and nothing after that', async () => {
  recorder.note({ id: 1, lastUsedAt: null });
  await recorder.close(1);
  expect(writes()).toEqual([[{ id: 1, at: at(0) }]]);
  recorder.note({ id: 2, lastUsedAt: null });
  expect(vi.getTimerCount()).toBe(0);
});

it('closes within a second even if the database does not answer, or fails', async () => {
  recordUses.mockReturnValueOnce(new Promise(() => undefined));
  recorder.note({ id: 1, lastUsedAt: null });
  const closed = vi.fn();
  void recorder.close(5_000).then(closed);
  await vi.advanceTimersByTimeAsync(999);
  expect(closed).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(closed).toHaveBeenCalledTimes(1);

  const failing = createLastUseRecorder({ recordUses: () => Promise.reject(new Error('closed')) }, { warn });
  failing.note({ id: 1, lastUsedAt: null });
  await failing.close(1);
  expect(warn).toHaveBeenCalledTimes(1);
  expect(vi.getTimerCount()).toBe(0);
});

it('does not wait when requests have used up the time of a stop', async () => {
  recorder.note({ id: 1, lastUsedAt: null });
  await recorder.close(0);
  expect(writes()).toEqual([]);
});
