import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ChangePosition } from '@plant-store/records';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { overloadErrors } from '../../errors/service-error.js';
import { operationsByName, paceOf } from '../../resources.js';
import type { ListGate } from '../../runtime/list-gate.js';
import { createFollowChanges } from './follow-changes.js';

const operations = operationsByName.plant;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** Followers of a store whose changes are numbered from 1. Change n is of the plant with id n. */
function open() {
  const state = {
    last: 0,
    reads: 0,
    looks: 0,
    error: undefined as Error | undefined,
    held: Promise.resolve(),
    /** The caller whose lists do not get a turn. */
    resting: undefined as number | undefined,
  };
  const store = {
    async lastChange(): Promise<ChangePosition> {
      state.looks++;
      return { generation: '', number: state.last, id: BigInt(state.last) };
    },
    async listChanges(after: ChangePosition | undefined) {
      const start = after?.number ?? 0;
      const numbers = Array.from({ length: state.last - start }, (_, at) => start + at + 1);
      const changes = numbers.map((number) => ({ record: { id: BigInt(number), name: 'x' }, at: 0 }));
      const last = {
        generation: '',
        number: Math.max(state.last, start),
        id: BigInt(Math.max(state.last, start)),
      };
      await state.held;
      return { changes, last, hasMore: false };
    },
  };
  const lists: ListGate = {
    async read(caller, { read }) {
      if (caller === state.resting) return new Promise(() => undefined);
      state.reads++;
      await nextTurn();
      if (state.error !== undefined) throw state.error;
      return read({ share: () => 1, next: async () => undefined });
    },
  };
  const draining = new AbortController();
  /** Tests replace it to make it take time. */
  const serialize = vi.fn();
  const followChanges = createFollowChanges({
    findLatest: () => operations.latest(store),
    queryPage: (query, turn) => operations.changes(store, query, paceOf(turn)),
    lists,
    serialize,
    draining: draining.signal,
  });
  const follow = (after: number, waitMs = 25_000, caller = 1) => {
    const gone = new AbortController();
    const query = { after: `1.${after}.${after}` };
    const followed = { at: undefined as number | undefined, seen: undefined as unknown };
    const startedAt = performance.now();
    const settle = (seen: unknown) =>
      void Object.assign(followed, { seen, at: Math.round(performance.now() - startedAt) });
    followChanges({ query, waitMs, caller, gone: gone.signal }).then(
      ({ changes, next }) => settle({ ids: changes.map(({ idText }) => idText), next }),
      settle,
    );
    return { followed, leave: () => gone.abort() };
  };
  const pass = async (ms: number) => {
    for (let passed = 0; passed <= ms; passed += 10) {
      await vi.advanceTimersByTimeAsync(passed === 0 ? 0 : 10);
      for (let turn = 0; turn < 5; turn++) await nextTurn();
    }
  };
  return { state, follow, pass, draining, serialize };
}

it('replies when there is a change, with one read for all identical requests, or after its wait time without one', async () => {
  const { state, follow, pass } = open();
  const all = Array.from({ length: 100 }, () => follow(0));
  const short = follow(0, 150);
  await pass(1_000);
  expect(short.followed).toEqual({ at: 150, seen: { ids: [], next: '1.0.0' } });
  state.reads = 0;
  state.last = 1;
  await pass(110);
  expect(state.reads).toBe(1);
  for (const { followed } of all) expect(followed).toMatchObject({ seen: { ids: ['1'], next: '1.1.1' } });
});

it('does not share a read that began before a change that others already received', async () => {
  const { state, follow, pass } = open();
  const waiting = follow(0);
  await pass(0);
  const { promise, resolve } = Promise.withResolvers<void>();
  state.held = promise;
  const reading = follow(0);
  await pass(0);
  state.held = Promise.resolve();
  state.last = 1;
  await pass(110);
  const late = follow(0);
  await pass(10);
  resolve();
  await pass(110);
  for (const { followed } of [waiting, reading, late])
    expect(followed).toMatchObject({ seen: { ids: ['1'] } });
});

it('rests after replies, for longer the more there were', async () => {
  const { state, follow, pass } = open();
  state.last = 1;
  for (let at = 0; at < 100; at++) follow(0);
  await pass(0);
  const { followed } = follow(0);
  await pass(190);
  expect(followed.at).toBeUndefined();
  await pass(20);
  expect(followed).toMatchObject({ at: 200, seen: { ids: ['1'] } });
});

it('rests for ten times as long as a page took to serialize, and serializes it once for all followers', async () => {
  const { state, follow, pass, serialize } = open();
  state.last = 1;
  serialize.mockImplementation(() => void vi.advanceTimersByTime(30));
  for (let at = 0; at < 10; at++) follow(0);
  await pass(0);
  expect(serialize).toHaveBeenCalledTimes(1);
  const { followed } = follow(1, 1_000);
  state.last = 2;
  await pass(310);
  expect(followed.at).toBeUndefined();
  await pass(100);
  expect(followed).toMatchObject({ seen: { ids: ['2'] } });
});

it('ends when the service drains, and stops polling when no follower is left', async () => {
  const { state, follow, pass, draining } = open();
  const gone = follow(0);
  await pass(500);
  gone.leave();
  await pass(0);
  expect(gone.followed).toEqual({ at: 500, seen: { ids: [], next: '1.0.0' } });
  await pass(200);
  const { looks } = state;
  await pass(1_000);
  expect(state.looks).toBe(looks);
  const other = follow(0);
  await pass(200);
  draining.abort();
  await pass(0);
  expect(other.followed).toEqual({ at: 200, seen: { ids: [], next: '1.0.0' } });
});

it('reads again soon while too many lists wait, and rejects with any other error', async () => {
  const { state, follow, pass } = open();
  state.last = 1;
  state.error = overloadErrors.waiting_reads;
  const { followed } = follow(0);
  await pass(250);
  expect(followed.at).toBeUndefined();
  state.error = undefined;
  await pass(100);
  expect(followed).toEqual({ at: 300, seen: { ids: ['1'], next: '1.1.1' } });
  state.error = new Error('away');
  const failed = follow(0);
  await pass(10);
  expect(failed.followed.seen).toBe(state.error);
});

it('does not delay a caller because of the replies or reads of another one', async () => {
  const { state, follow, pass } = open();
  state.last = 1;
  for (let at = 0; at < 100; at++) follow(0);
  await pass(0);
  const same = follow(0);
  const other = follow(0, 25_000, 2);
  await pass(0);
  expect([same.followed.at, other.followed]).toEqual([undefined, { at: 0, seen: expect.anything() }]);
  const next = follow(0, 25_000, 2);
  await pass(10);
  // The clock of this test has steps of 10 ms.
  expect(next.followed.at).toBe(10);
  state.resting = 1;
  await pass(500);
  const held = follow(0);
  await pass(0);
  const free = follow(0, 25_000, 2);
  await pass(10);
  expect([held.followed.at, free.followed.at]).toEqual([undefined, 0]);
});
