import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { parseConfig } from '../../config.js';
import type { WorkerStart } from '../calls.js';
import { WorkerGroup } from './worker-group.js';
import type { WorkerExit, WorkerProcess } from './worker-process.js';

const config = parseConfig({ WORKERS: '2' }, '/');
const newConfig = { ...config, rateLimitPerMinute: 7 };

/** A group of two workers whose processes only record what they are asked. */
function createGroup(
  onStart: (start: WorkerStart, pid: number) => void | Promise<void> = () => {},
  watchEveryMs = 60_000,
) {
  const starts: { readonly pid: number; readonly worker: number; readonly rateLimit: number }[] = [];
  const calls: string[] = [];
  /** Calls that have no result before their process has ended. */
  const hangs = new Set<string>();
  const end = new Map<number, (exit: WorkerExit) => void>();
  const onEnd = vi.fn<(process: WorkerProcess, end: unknown) => void>();
  function fork(): WorkerProcess {
    const pid = end.size + 1;
    const { promise: ended, resolve } = Promise.withResolvers<WorkerExit>();
    end.set(pid, resolve);
    const call = async (name: string, argument: unknown) => {
      if (name !== 'start') {
        if (name !== 'ping') calls.push(`${name} ${pid}`);
        if (hangs.has(`${name} ${pid}`)) await ended;
        if (name === 'ping') return 0;
        return { inTime: true, metrics: [] };
      }
      const start = argument as WorkerStart;
      starts.push({ pid, worker: start.worker, rateLimit: start.config.rateLimitPerMinute });
      await onStart(start, pid);
      return undefined;
    };
    const finish = () => resolve({ status: 0, signal: null });
    const channel = { call, close: finish } as unknown as WorkerProcess['calls'];
    return { pid, ended, calls: channel, isRunning: () => true, disconnect: finish, kill: finish };
  }
  const group = new WorkerGroup(config, { fork, watchEveryMs, onEnd, log: pino({ enabled: false }) });
  const pids = () => [...group.serving()].map(([worker, { pid }]) => `${worker}: ${pid}`);
  return {
    group,
    starts,
    calls,
    hangs,
    onEnd,
    pids,
    kill: (pid: number) => end.get(pid)?.({ status: null, signal: 'SIGKILL' }),
  };
}

it('starts another process for a worker that ends, under its number', async () => {
  const { group, kill, pids, onEnd } = createGroup();
  await group.start();
  kill(2);
  await vi.waitFor(() => expect(pids()).toEqual(['1: 1', '2: 3']));
  expect(onEnd.mock.calls.map(([{ pid }, end]) => [pid, end])).toEqual([[2, undefined]]);
});

it('rejects if a worker does not start at first', async () => {
  const { group } = createGroup(({ worker }) => {
    if (worker === 2) throw new Error('The port is taken');
  });
  await expect(group.start()).rejects.toThrow('The port is taken');
});

it('replaces each worker once another one serves in its place, with the new settings', async () => {
  const { group, calls, pids, starts } = createGroup();
  await group.start();
  await group.replaceAll(() => newConfig);
  expect(pids()).toEqual(['1: 3', '2: 4']);
  expect(calls).toEqual(['retire 1', 'retire 2']);
  expect(starts.slice(2).map(({ rateLimit }) => rateLimit)).toEqual([7, 7]);
});

it('keeps its workers and their settings if a replacement does not start', async () => {
  const { group, calls, kill, pids, starts } = createGroup(({ config: { rateLimitPerMinute } }) => {
    if (rateLimitPerMinute === 7) throw new Error('The page folder is missing');
  });
  await group.start();
  await group.replaceAll(() => newConfig);
  expect(pids()).toEqual(['1: 1', '2: 2']);
  expect(calls).toEqual([]);
  kill(1);
  await vi.waitFor(() => expect(pids()).toEqual(['1: 4', '2: 2']));
  expect(starts.at(-1)?.rateLimit).toBe(config.rateLimitPerMinute);
});

it('replaces the workers once more for all calls that come while they are replaced', async () => {
  const launched = Promise.withResolvers<void>();
  const { group, starts, pids } = createGroup((_, pid) => (pid === 3 ? launched.promise : undefined));
  await group.start();
  const calls = [group.replaceAll(() => newConfig)];
  await vi.waitFor(() => expect(starts).toHaveLength(3));
  const newest = { ...config, rateLimitPerMinute: 9 };
  calls.push(
    group.replaceAll(() => newest),
    group.replaceAll(() => newest),
  );
  launched.resolve();
  await Promise.all(calls);
  expect(starts.slice(2).map(({ rateLimit }) => rateLimit)).toEqual([7, 7, 9, 9]);
  expect(pids()).toEqual(['1: 5', '2: 6']);
});

it('starts a worker again that did not start, and then gets the new settings', async () => {
  const { group, starts, kill, pids } = createGroup((_, pid) => {
    if (pid === 3) throw new Error('The page folder is missing');
  });
  await group.start();
  kill(1);
  await vi.waitFor(() => expect(starts).toHaveLength(3));
  await group.replaceAll(() => newConfig);
  expect(pids()).toEqual(['1: 4', '2: 5']);
  expect(starts.slice(3).map(({ rateLimit }) => rateLimit)).toEqual([7, 7]);
});

it('keeps its workers if the new settings are invalid', async () => {
  const { group, pids, starts } = createGroup();
  await group.start();
  await group.replaceAll(() => {
    throw new Error('PORT is invalid');
  });
  expect(pids()).toEqual(['1: 1', '2: 2']);
  expect(starts).toHaveLength(2);
});

it('stops a worker that is starting, too, and starts no more', async () => {
  const started = Promise.withResolvers<void>();
  const { group, calls, starts, kill } = createGroup((_, pid) => (pid === 3 ? started.promise : undefined));
  await group.start();
  kill(1);
  await vi.waitFor(() => expect(starts).toHaveLength(3));
  const stopped = group.stop();
  started.resolve();
  expect(await stopped).toBe(true);
  expect(calls.toSorted()).toEqual(['stop 2', 'stop 3']);
  await group.replaceAll(() => newConfig);
  expect(starts).toHaveLength(3);
});

it('reports a worker that is killed while it retires', async () => {
  const { group, kill, pids, onEnd, hangs } = createGroup();
  await group.start();
  hangs.add('retire 1').add('retire 2');
  await group.replaceAll(() => config);
  expect(pids()).toEqual(['1: 3', '2: 4']);
  kill(1);
  await vi.waitFor(() =>
    expect(onEnd.mock.calls.map(([{ pid }, end]) => [pid, end])).toEqual([[1, undefined]]),
  );
  expect(pids()).toEqual(['1: 3', '2: 4']);
});

it('ends a worker that hangs, which does not respond long before that, and leaves one that answers', async () => {
  const { group, hangs, pids } = createGroup(undefined, 10);
  await group.start();
  hangs.add('ping 2');
  await vi.waitFor(() => expect([...group.responding().keys()]).toEqual([1]));
  expect(pids()).toEqual(['1: 1', '2: 2']);
  await vi.waitFor(() => expect(pids()).toEqual(['1: 1', '2: 3']));
  expect([...group.responding().keys()]).toEqual([1, 2]);
  await group.stop();
});
