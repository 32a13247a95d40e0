import { EventEmitter } from 'node:events';
import type { Pool, PoolClient } from 'pg';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { endOneEveryMs, type WatchDependencies, watchConnections } from './open-pool.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const afterMs = 5_000;

/** A watch over a pool whose connections the test acquires and releases; `ended` has the names of those it ended. */
function createWatch(parts: Omit<WatchDependencies, 'afterMs'>) {
  const pool = new EventEmitter();
  const ended: string[] = [];
  const watch = watchConnections(pool as unknown as Pool, { afterMs, ...parts });
  function createConnection(name: string): PoolClient {
    const connection = {
      // Its query fails then, and the pool releases it.
      async end() {
        ended.push(name);
        pool.emit('release', new Error('ended'), connection);
      },
    };
    return connection as unknown as PoolClient;
  }
  return {
    watch,
    ended,
    begin(name: string) {
      const connection = createConnection(name);
      pool.emit('acquire', connection);
      return { connection, release: () => void pool.emit('release', undefined, connection) };
    },
  };
}

it('ends a connection whose query has timed out and whose backend is idle', async () => {
  const busy = new Set<PoolClient>();
  const { ended, begin } = createWatch({ findBusy: async () => busy });
  begin('silent');
  busy.add(begin('busy').connection);
  begin('released').release();
  await vi.advanceTimersByTimeAsync(afterMs);
  expect(ended).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(ended).toEqual(['silent']);
});

it('ends none while the backends cannot be checked', async () => {
  const { ended, begin } = createWatch({ findBusy: () => Promise.reject(new Error('no connection')) });
  begin('silent');
  await vi.advanceTimersByTimeAsync(10 * endOneEveryMs);
  expect(ended).toEqual([]);
});

it('does not end one that was released by the time that the backends are checked', async () => {
  const answer = Promise.withResolvers<ReadonlySet<PoolClient>>();
  const { ended, begin } = createWatch({ findBusy: () => answer.promise });
  const { release } = begin('slow');
  await vi.advanceTimersByTimeAsync(afterMs + 1_000);
  release();
  answer.resolve(new Set());
  await vi.advanceTimersByTimeAsync(0);
  expect(ended).toEqual([]);
});

it('ends the oldest one each minute where backends cannot be checked, or none at all', async () => {
  const pooled = createWatch({ endOldest: true });
  const few = createWatch({});
  for (const { begin } of [pooled, few]) for (const name of ['first', 'second', 'third']) begin(name);
  await vi.advanceTimersByTimeAsync(endOneEveryMs - 1);
  expect(pooled.ended).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_001);
  expect(pooled.ended).toEqual(['first']);
  await vi.advanceTimersByTimeAsync(endOneEveryMs - 1_001);
  expect(pooled.ended).toHaveLength(1);
  expect(few.ended).toEqual([]);
});

it('ends all that have timed out once the pool closes', async () => {
  const { watch, ended, begin } = createWatch({});
  begin('first');
  await vi.advanceTimersByTimeAsync(afterMs);
  begin('second');
  watch.beginClosing();
  await vi.advanceTimersByTimeAsync(200);
  expect(ended).toEqual(['first']);
  await vi.advanceTimersByTimeAsync(afterMs);
  expect(ended).toEqual(['first', 'second']);
  watch.stop();
});
