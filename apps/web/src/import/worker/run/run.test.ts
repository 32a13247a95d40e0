import { expect, it, vi } from 'vitest';
import { Run, type RunOptions } from './run.js';
import type { Outcome } from './send-plant.js';

const stopped = (retry: number | 'backoff' | 'never', cause: 'network' | 'token' = 'network'): Outcome => ({
  kind: 'stopped',
  stop: { cause, message: `a stop: ${cause}` },
  retry,
});

/** A run of as many records, whose requests end when the test says so. */
function startRun(count: number, options: Partial<RunOptions> = {}) {
  const sent: { record: number; resolve(outcome: Outcome): void; signal: AbortSignal }[] = [];
  const outcomes = new Map<number, string>();
  const run = new Run({
    records: Array.from({ length: count }, (_, record) => record),
    count,
    send: (record, signal) =>
      new Promise((resolve, reject) => {
        sent.push({ record, resolve, signal });
        signal.addEventListener('abort', () => reject(signal.reason));
      }),
    onOutcome: (record, { kind }) => {
      expect(outcomes.has(record)).toBe(false);
      outcomes.set(record, kind);
    },
    onChange: () => undefined,
    concurrency: 3,
    backoff: (stops) => (stops > 2 ? undefined : 1),
    ...options,
  });
  run.resume();
  const answer = async (outcome: Outcome = { kind: 'stored' }) => {
    sent.shift()?.resolve(outcome);
    await new Promise((resolve) => setTimeout(resolve));
  };
  return { run, sent, outcomes, answer, records: () => sent.map(({ record }) => record) };
}

it('sends all records, never more at once than allowed', async () => {
  const { run, outcomes, answer, records } = startRun(5);
  expect(records()).toEqual([0, 1, 2]);
  await answer();
  expect(records()).toEqual([1, 2, 3]);
  for (let left = 4; left > 0; left--) {
    expect(run.view.state).toBe('running');
    await answer({ kind: 'replayed' });
  }
  expect([...outcomes.values()]).toEqual(['stored', 'replayed', 'replayed', 'replayed', 'replayed']);
  expect(run.view).toMatchObject({ state: 'ended', inFlight: 0 });
});

it('finishes what is in flight when it is paused, and goes on', async () => {
  const { run, outcomes, answer, records } = startRun(5);
  run.pause();
  await answer();
  await answer();
  await answer();
  expect(run.view).toMatchObject({ state: 'paused', inFlight: 0, stop: undefined });
  expect([...outcomes.keys()]).toEqual([0, 1, 2]);
  run.resume();
  expect(records()).toEqual([3, 4]);
});

it('ends when the last records finish while it is paused', async () => {
  const { run, answer } = startRun(1);
  run.pause();
  await answer();
  expect(run.view.state).toBe('ended');
});

it('waits after a stop, and then sends the open records again', async () => {
  const { run, outcomes, answer } = startRun(3);
  await answer(stopped(1));
  expect(run.view).toMatchObject({ state: 'waiting', resumesAt: expect.any(Number) });
  expect(run.view.stop?.cause).toBe('network');
  await answer(stopped(60_000));
  await answer();
  await vi.waitUntil(() => run.view.state === 'running', { timeout: 30_000 });
  expect(run.view.stop).toBeUndefined();
  await answer();
  await answer();
  expect(run.view.state).toBe('ended');
  expect([...outcomes.keys()].sort()).toEqual([0, 1, 2]);
});

it('waits for the person after stops in a row', async () => {
  const { run, answer } = startRun(1);
  for (let stops = 1; stops <= 2; stops++) {
    await answer(stopped('backoff'));
    await vi.waitUntil(() => run.view.state === 'running', { timeout: 30_000 });
  }
  await answer(stopped('backoff'));
  expect(run.view).toMatchObject({ state: 'paused', resumesAt: undefined, stop: { cause: 'network' } });
  run.resume();
  await answer();
  expect(run.view.state).toBe('ended');
});

it('sends all others first when one record is always stopped', async () => {
  const sent: number[] = [];
  const { run, outcomes } = startRun(100, {
    send: async (record) => {
      sent.push(record);
      return record === 0 ? stopped('backoff') : { kind: 'stored' };
    },
  });
  await vi.waitUntil(() => run.view.state === 'paused', { timeout: 30_000 });
  expect(outcomes.size).toBe(99);
  expect(sent.filter((record) => record === 0)).toHaveLength(4);
  expect(sent.lastIndexOf(99)).toBeLessThan(sent.indexOf(0, 1));
});

it('counts stops in a row though what was in flight before them is stored', async () => {
  const { run, answer } = startRun(3, { concurrency: 2, backoff: (stops) => (stops > 1 ? undefined : 1) });
  await answer(stopped('backoff'));
  await vi.waitUntil(() => run.view.state === 'running', { timeout: 30_000 });
  // Record 1, which was sent before the stop.
  await answer();
  await answer(stopped('backoff'));
  expect(run.view).toMatchObject({ state: 'paused', resumesAt: undefined });
});

it('goes on when requests are stopped that it sent before it was resumed, and sends their records again', async () => {
  const { run, sent, outcomes, answer, records } = startRun(3);
  await answer(stopped('never', 'token'));
  run.resume();
  expect(records()).toEqual([1, 2, 0]);
  await answer(stopped('never', 'token'));
  await answer(stopped('backoff'));
  expect(run.view).toMatchObject({ state: 'running', stop: undefined });
  while (sent.length > 0) await answer();
  expect(run.view.state).toBe('ended');
  expect([...outcomes.keys()].sort()).toEqual([0, 1, 2]);
});

it('keeps the reason when the person pauses what waits', async () => {
  const { run, answer } = startRun(3);
  await answer(stopped(60_000));
  run.pause();
  expect(run.view).toMatchObject({ state: 'paused', resumesAt: undefined, stop: { cause: 'network' } });
});

it('lets a stop that only a person ends prevail over a delay', async () => {
  const { run, answer } = startRun(3);
  await answer(stopped(60_000));
  await answer(stopped('never', 'token'));
  await answer(stopped(60_000));
  expect(run.view).toMatchObject({ state: 'paused', stop: { cause: 'token' } });
});

it('sends nothing more once it is cancelled, and keeps the outcomes of what was in flight', async () => {
  const { run, sent, outcomes, answer } = startRun(9);
  run.cancel();
  expect(run.view).toMatchObject({ state: 'cancelling', inFlight: 3 });
  run.resume();
  run.pause();
  expect(run.view.state).toBe('cancelling');
  await answer();
  await answer(stopped('backoff'));
  await answer();
  expect(run.view.state).toBe('ended');
  expect([...outcomes.keys()]).toEqual([0, 2]);
  expect(sent).toEqual([]);
  run.resume();
  expect(run.view.state).toBe('ended');
});

it('does not wait for ever for what is in flight when it is cancelled', async () => {
  const { run, outcomes } = startRun(9, { graceMs: 1 });
  run.cancel();
  await vi.waitUntil(() => run.view.state === 'ended', { timeout: 30_000 });
  expect(outcomes.size).toBe(0);
});
