import { pino } from 'pino';
import { expect, it, vi } from 'vitest';
import { type Config, parseConfig } from '../config.js';
import { WorkerGroup, type WorkerGroupOptions } from './worker-group.js';
import type { WorkerExit, WorkerProcess, WorkerQuestions } from './worker-process.js';

const config = parseConfig({ WORKERS: '2' }, '/');
const newConfig = { ...config, bodyLimitBytes: 7 };

/** A group of two workers whose processes only record what they are asked. */
function createGroup(
  onStart: (
    start: { readonly config: Config; readonly worker: number },
    pid: number,
  ) => void | Promise<void> = () => {},
  options: Pick<WorkerGroupOptions, 'watchEveryMs' | 'startMs'> = { watchEveryMs: 60_000 },
) {
  const starts: { readonly pid: number; readonly worker: number; readonly bodyLimit: number }[] = [];
  const calls: string[] = [];
  /** Calls that have no result before their process has ended. */
  const hangs = new Set<string>();
  const end = new Map<number, (exit: WorkerExit) => void>();
  const onEnd = vi.fn<(process: WorkerProcess, end: unknown) => void>();
  function fork(): WorkerProcess {
    const pid = end.size + 1;
    const { promise: ended, resolve } = Promise.withResolvers<WorkerExit>();
    end.set(pid, resolve);
    const ask = async (name: string, ...args: unknown[]) => {
      if (name !== 'start') {
        if (name !== 'ping') calls.push(`${name} ${pid}`);
        if (hangs.has(`${name} ${pid}`)) await ended;
        return { inTime: true, metrics: [] };
      }
      const [config, worker] = args as Parameters<WorkerQuestions['start']>;
      starts.push({ pid, worker, bodyLimit: config.bodyLimitBytes });
      await onStart({ config, worker }, pid);
      return 'http://127.0.0.1:3000';
    };
    const finish = () => resolve({ status: 0, signal: null });
    return {
      pid,
      ended,
      ask: ask as WorkerProcess['ask'],
      isRunning: () => true,
      disconnect: finish,
      kill: finish,
    };
  }
  const group = new WorkerGroup(config, { ...options, fork, onEnd, log: pino({ enabled: false }) });
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
  expect(starts.slice(2).map(({ bodyLimit }) => bodyLimit)).toEqual([7, 7]);
});

it('keeps its workers and their settings if a replacement does not start', async () => {
  const { group, calls, kill, pids, starts } = createGroup(({ config: { bodyLimitBytes } }) => {
    if (bodyLimitBytes === 7) throw new Error('The page folder is missing');
  });
  await group.start();
  await group.replaceAll(() => newConfig);
  expect(pids()).toEqual(['1: 1', '2: 2']);
  expect(calls).toEqual([]);
  kill(1);
  await vi.waitFor(() => expect(pids()).toEqual(['1: 4', '2: 2']));
  expect(starts.at(-1)?.bodyLimit).toBe(config.bodyLimitBytes);
});

it('replaces the workers once more for all calls that come while they are replaced', async () => {
  const launched = Promise.withResolvers<void>();
  const { group, starts, pids } = createGroup((_, pid) => (pid === 3 ? launched.promise : undefined));
  await group.start();
  const calls = [group.replaceAll(() => newConfig)];
  await vi.waitFor(() => expect(starts).toHaveLength(3));
  const newest = { ...config, bodyLimitBytes: 9 };
  calls.push(
    group.replaceAll(() => newest),
    group.replaceAll(() => newest),
  );
  launched.resolve();
  await Promise.all(calls);
  expect(starts.slice(2).map(({ bodyLimit }) => bodyLimit)).toEqual([7, 7, 9, 9]);
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
  await vi.waitFor(() => expect(pids()).toEqual(['1: 5', '2: 4']), { timeout: 10_000 });
  expect(starts.slice(3).map(({ bodyLimit }) => bodyLimit)).toEqual([7, 7]);
});

it('reads the settings again while a worker does not start, which starts with those that are right', async () => {
  const { group, kill, pids } = createGroup(({ config: { bodyLimitBytes } }, pid) => {
    if (pid > 2 && bodyLimitBytes !== 9) throw new Error('The password is wrong');
  });
  await group.start();
  kill(1);
  await group.replaceAll(() => newConfig);
  await group.replaceAll(() => ({ ...config, bodyLimitBytes: 9 }));
  await vi.waitFor(() => expect(pids()).toHaveLength(2), { timeout: 10_000 });
  await group.stop();
});

it('ends the earlier one of two processes that start for the same worker', async () => {
  const launched = Promise.withResolvers<void>();
  const { group, calls, kill, pids } = createGroup((_, pid) => (pid === 3 ? launched.promise : undefined));
  await group.start();
  const replaced = group.replaceAll(() => newConfig);
  await vi.waitFor(() => expect(group.serving().size).toBe(2));
  kill(1);
  await vi.waitFor(() => expect(pids()).toEqual(['1: 4', '2: 2']));
  launched.resolve();
  await replaced;
  expect(pids()).toEqual(['1: 3', '2: 5']);
  expect(calls).toEqual(['retire 4', 'retire 2']);
});

it('lets no more than one process of each worker keep its last connections', async () => {
  const { group, calls, hangs } = createGroup();
  await group.start();
  for (let pid = 1; pid <= 6; pid++) hangs.add(`retire ${pid}`);
  for (let count = 0; count < 3; count++) await group.replaceAll(() => config);
  expect(calls.filter((call) => call.startsWith('stop'))).toEqual(['stop 1', 'stop 2', 'stop 3', 'stop 4']);
});

it('drains a worker that has started meanwhile', async () => {
  const { group, calls, kill, pids } = createGroup();
  await group.start();
  await group.drain();
  kill(1);
  await vi.waitFor(() => expect(pids()).toEqual(['1: 3', '2: 2']));
  expect(calls).toEqual(['drain 1', 'drain 2', 'drain 3']);
});

it('ends a process that does not start in time, and starts another one', async () => {
  const hanging = new Promise<void>(() => undefined);
  const { group, kill, pids } = createGroup((_, pid) => (pid === 3 ? hanging : undefined), { startMs: 20 });
  await group.start();
  kill(1);
  await vi.waitFor(() => expect(pids()).toEqual(['1: 4', '2: 2']), { timeout: 10_000 });
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
  const { group, hangs, pids } = createGroup(undefined, { watchEveryMs: 10 });
  await group.start();
  hangs.add('ping 2');
  await vi.waitFor(() => expect([...group.responding().keys()]).toEqual([1]));
  expect(pids()).toEqual(['1: 1', '2: 2']);
  await vi.waitFor(() => expect(pids()).toEqual(['1: 1', '2: 3']));
  expect([...group.responding().keys()]).toEqual([1, 2]);
  await group.stop();
});
