import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ClientGoneError } from '../errors/service-error.js';
import { createListGate } from './list-gate.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/**
 * Opens a gate. The first letter of a list's name is its caller, and the part after `=` its key. A list is read until the test ends it by
 * name.
 */
function open({ concurrency = 1, callers = 1, waitingShare = 0 } = {}) {
  const gate = createListGate({
    concurrency,
    callers: { count: () => callers },
    waitingShare: () => waitingShare,
  });
  const begun: string[] = [];
  const shares: number[] = [];
  const ends = new Map<string, () => void>();
  /** Functions that make a list yield its turn. */
  const pauses = new Map<string, () => void>();
  const gone = new Set<string>();
  const list = (...names: readonly string[]) =>
    names.map((name) => {
      const result = gate.read(name.slice(0, 1), {
        shareKey: name.split('=')[1],
        isWanted: () => !gone.has(name),
        async read(turn) {
          begun.push(name);
          shares.push(turn.share());
          for (;;) {
            const isOver = await new Promise<boolean>((resolve) => {
              ends.set(name, () => resolve(true));
              pauses.set(name, () => resolve(false));
            });
            if (isOver) return {};
            await turn.next();
            begun.push(`${name} again`);
          }
        },
      });
      // The test checks rejections later.
      result.catch(() => undefined);
      return result;
    });
  const call = async (action: (() => void) | undefined) => {
    action?.();
    for (let turn = 0; turn < 3; turn++) await nextTurn();
  };
  const end = (name: string) => call(ends.get(name));
  const pause = (name: string) => call(pauses.get(name));
  return { list, begun, shares, end, pause, gone };
}

it('reads a limited number of lists at a time, and callers take turns', async () => {
  const { list, begun, end } = open({ concurrency: 2 });
  list('a1', 'a2', 'a3', 'a4', 'b1');
  await nextTurn();
  expect(begun).toEqual(['a1', 'b1']);
  list('b2', 'b3');
  for (const name of ['a1', 'b1', 'a2', 'b2']) await end(name);
  expect(begun).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'b3']);
});

it('lets a list yield its turn to others, and resumes it afterwards', async () => {
  const { list, begun, pause, end } = open();
  const [long] = list('a1', 'b1');
  await nextTurn();
  await pause('a1');
  expect(begun).toEqual(['a1', 'b1']);
  await end('b1');
  expect(begun).toEqual(['a1', 'b1', 'a1 again']);
  list('b2');
  await end('a1');
  await expect(long).resolves.toEqual({});
  expect(begun.at(-1)).toBe('b2');
});

it('limits each caller to its share of the time plus 50 ms while others read, too', async () => {
  const { list, begun, pause, end } = open();
  list('a1', 'b1');
  await nextTurn();
  vi.advanceTimersByTime(110);
  await pause('a1');
  await end('b1');
  // It read for 110 ms, 5 ms more than half of the time plus 50 ms, so it must wait 10 ms.
  vi.advanceTimersByTime(9);
  list('b2');
  await nextTurn();
  await end('b2');
  expect(begun).toEqual(['a1', 'b1', 'b2']);
  vi.advanceTimersByTime(1);
  await nextTurn();
  expect(begun.at(-1)).toBe('a1 again');
});

it('ends a list at its next turn when no client waits for it, and frees its slot', async () => {
  const { list, begun, pause, gone } = open();
  const [long] = list('a1', 'b1');
  await nextTurn();
  gone.add('a1');
  await pause('a1');
  list('a2');
  expect(begun).toEqual(['a1', 'b1']);
  await pause('b1');
  await expect(long).rejects.toThrow(ClientGoneError);
  expect(begun).toContain('a2');
});

it('leaves a slot for others while they are active', async () => {
  const { list, begun, end } = open({ concurrency: 3, callers: 2 });
  list('a1', 'a2', 'a3', 'a4');
  await nextTurn();
  expect(begun).toEqual(['a1', 'a2']);
  list('b1');
  await nextTurn();
  expect(begun).toEqual(['a1', 'a2', 'b1']);
  await end('a1');
  expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
});

it('reads waiting lists of one caller with the same key once', async () => {
  const { list, begun, end, gone } = open();
  list('a1');
  await nextTurn();
  const [first, second, other] = list('a2=x', 'a3=x', 'b1=x');
  gone.add('a2=x');
  await end('a1');
  // This list comes after the read began, so it must not share it.
  const [later] = list('a4=x');
  for (const name of ['a2=x', 'b1=x']) await end(name);
  expect(begun).toEqual(['a1', 'a2=x', 'b1=x', 'a4=x']);
  await end('a4=x');
  const results = await Promise.all([first, second, other, later]);
  expect(results[1]).toBe(results[0]);
  expect(new Set(results).size).toBe(3);
});

it('counts lists that share a read toward the limit', async () => {
  const { list } = open();
  const lists = list(...Array.from({ length: 129 }, (_, index) => `a${index}=x`));
  await expect(lists[128]).rejects.toMatchObject({ errorName: 'overloaded' });
});

it('gives each list its share of the time', async () => {
  const { list, shares } = open({ callers: 5 });
  list('a1');
  await nextTurn();
  expect(shares).toEqual([0.2]);
});

it('skips a list that no client waits for, and reads the next one', async () => {
  const { list, begun, end, gone } = open();
  const [, dropped] = list('a1', 'a2', 'a3');
  gone.add('a2');
  await nextTurn();
  await end('a1');
  await expect(dropped).rejects.toThrow(ClientGoneError);
  expect(begun).toEqual(['a1', 'a3']);
});

it.each([
  { waitingShare: 1, callers: 1, pauseMs: 480 },
  { waitingShare: 1, callers: 1, requests: 3, pauseMs: 496 },
  { waitingShare: 1, callers: 4, pauseMs: 120 },
  { waitingShare: 0.5, callers: 1, pauseMs: 30 },
  { waitingShare: 0.2, callers: 1, pauseMs: 0 },
])('delays the lists of a caller after a list of 10 ms: %j', async ({ pauseMs, requests = 1, ...shared }) => {
  const { list, begun, end } = open(shared);
  list(...Array(requests).fill('a1=x'));
  await nextTurn();
  vi.advanceTimersByTime(10);
  list('a2', 'b1');
  await end('a1=x');
  if (pauseMs > 0) {
    // Lists of other callers are still read.
    expect(begun).toEqual(['a1=x', 'b1']);
    await end('b1');
    vi.advanceTimersByTime(pauseMs - 1);
    await nextTurn();
    expect(begun).toHaveLength(2);
    vi.advanceTimersByTime(1);
    await nextTurn();
  }
  expect(begun.slice(0, 3)).toContain('a2');
});
