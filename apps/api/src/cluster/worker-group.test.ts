import { pino } from 'pino';
import { expect, it } from 'vitest';
import { type Config, parseConfig } from '../config.js';
import { WorkerGroup, type WorkerGroupOptions } from './worker-group.js';
import type { WorkerExit, WorkerProcess, WorkerQuestions } from './worker-process.js';

const config = parseConfig({ WORKERS: '2' }, '/');
const newConfig = { ...config, bodyLimitBytes: 7 };

/** Starts a group of two workers whose processes, numbered from 1, only record the questions they get. */
async function startGroup(
  onStart: (config: Config, pid: number) => void | Promise<void> = () => {},
  options: Pick<WorkerGroupOptions, 'watchEveryMs' | 'startMs'> = { watchEveryMs: 60_000 },
) {
  /** The limit of bodies with which each process was started. */
  const starts: number[] = [];
  const calls: string[] = [];
  /** Calls that stay pending until their process ends. */
  const hangs = new Set<string>();
  const end = new Map<number, (exit: WorkerExit) => void>();
  /** The processes that were reported as ended without being stopped. */
  const reported: number[] = [];
  function fork(): WorkerProcess {
    const pid = end.size + 1;
    const { promise: ended, resolve } = Promise.withResolvers<WorkerExit>();
    end.set(pid, resolve);
    const ask = (async (name: string, ...args: unknown[]) => {
      if (name !== 'start') {
        if (name !== 'ping') calls.push(`${name} ${pid}`);
        if (hangs.has(`${name} ${pid}`)) await ended;
        return { inTime: true, metrics: [] };
      }
      const [config] = args as Parameters<WorkerQuestions['start']>;
      starts.push(config.bodyLimitBytes);
      await onStart(config, pid);
      return 'http://127.0.0.1:3000';
    }) as WorkerProcess['ask'];
    const finish = () => resolve({ status: 0, signal: null });
    return { pid, ended, ask, isRunning: () => true, disconnect: finish, kill: finish };
  }
  const onEnd: WorkerGroupOptions['onEnd'] = ({ pid }, end) => {
    if (end === undefined) reported.push(pid);
  };
  const group = new WorkerGroup(config, { ...options, fork, onEnd, log: pino({ enabled: false }) });
  await group.start();
  const pids = () => [...group.serving()].map(([worker, { pid }]) => `${worker}: ${pid}`);
  return {
    group,
    starts,
    calls,
    hangs,
    reported,
    pids,
    kill: (pid: number) => end.get(pid)?.({ status: null, signal: 'SIGKILL' }),
    /** Waits until these processes serve, by worker number. */
    untilServing: (...expected: readonly string[]) => expect.poll(() => pids()).toEqual(expected),
  };
}

/** Delays the start of the third process, which replaces one of the first two. */
const holdThird = (held: Promise<void>) => (_: Config, pid: number) => (pid === 3 ? held : undefined);

it('replaces each worker once another one serves in its place, with the new settings', async () => {
  const { group, calls, pids, starts } = await startGroup();
  await group.replaceAll(() => newConfig);
  expect(pids()).toEqual(['1: 3', '2: 4']);
  expect(calls).toEqual(['retire 1', 'retire 2']);
  expect(starts.slice(2)).toEqual([7, 7]);
});

it.each<[title: string, readConfig: () => Config]>([
  ['a replacement does not start', () => newConfig],
  [
    'the new settings are invalid',
    () => {
      throw new Error('PORT is invalid');
    },
  ],
])('keeps its workers and their settings if %s', async (_, readConfig) => {
  const { group, calls, kill, pids, starts } = await startGroup(({ bodyLimitBytes }) => {
    if (bodyLimitBytes === 7) throw new Error('The page folder is missing');
  });
  await group.replaceAll(readConfig);
  expect(pids()).toEqual(['1: 1', '2: 2']);
  expect(calls).toEqual([]);
  kill(1);
  await expect.poll(() => group.serving().get(1)?.pid).toBeGreaterThan(2);
  expect(starts.at(-1)).toBe(config.bodyLimitBytes);
});

it('replaces the workers once more for all calls that come while they are replaced', async () => {
  const launched = Promise.withResolvers<void>();
  const { group, starts, pids } = await startGroup(holdThird(launched.promise));
  const replacing = [group.replaceAll(() => newConfig)];
  await expect.poll(() => starts).toHaveLength(3);
  for (let call = 0; call < 2; call++)
    replacing.push(group.replaceAll(() => ({ ...config, bodyLimitBytes: 9 })));
  launched.resolve();
  await Promise.all(replacing);
  expect(starts.slice(2)).toEqual([7, 7, 9, 9]);
  expect(pids()).toEqual(['1: 5', '2: 6']);
});

it('starts a worker again that did not start, and then gets the new settings', async () => {
  const { group, starts, kill, untilServing } = await startGroup((_, pid) => {
    if (pid === 3) throw new Error('The page folder is missing');
  });
  kill(1);
  await expect.poll(() => starts).toHaveLength(3);
  await group.replaceAll(() => newConfig);
  await untilServing('1: 5', '2: 4');
  expect(starts.slice(3)).toEqual([7, 7]);
});

it('rereads the settings while a worker fails to start, and starts it once they are right', async () => {
  const { group, kill, pids } = await startGroup(({ bodyLimitBytes }, pid) => {
    if (pid > 2 && bodyLimitBytes !== 9) throw new Error('The password is wrong');
  });
  kill(1);
  await group.replaceAll(() => newConfig);
  await group.replaceAll(() => ({ ...config, bodyLimitBytes: 9 }));
  await expect.poll(() => pids()).toHaveLength(2);
  await group.stop();
});

it('ends the earlier one of two processes that start for the same worker', async () => {
  const launched = Promise.withResolvers<void>();
  const { group, calls, kill, pids, untilServing } = await startGroup(holdThird(launched.promise));
  const replaced = group.replaceAll(() => newConfig);
  kill(1);
  await untilServing('1: 4', '2: 2');
  launched.resolve();
  await replaced;
  expect(pids()).toEqual(['1: 3', '2: 5']);
  expect(calls).toEqual(['retire 4', 'retire 2']);
});

it('keeps at most one retiring process per worker', async () => {
  const { group, calls, hangs } = await startGroup();
  for (let pid = 1; pid <= 6; pid++) hangs.add(`retire ${pid}`);
  for (let count = 0; count < 3; count++) await group.replaceAll(() => config);
  expect(calls.filter((call) => call.startsWith('stop'))).toEqual(['stop 1', 'stop 2', 'stop 3', 'stop 4']);
});

it('drains a worker that starts while the group drains', async () => {
  const { group, calls, kill, untilServing } = await startGroup();
  await group.drain();
  kill(1);
  await untilServing('1: 3', '2: 2');
  expect(calls).toEqual(['drain 1', 'drain 2', 'drain 3']);
});

it('ends a process that does not start in time, and starts another one', async () => {
  const hanging = new Promise<void>(() => undefined);
  const { kill, untilServing } = await startGroup(holdThird(hanging), { startMs: 20 });
  kill(1);
  await untilServing('1: 4', '2: 2');
});

it('stops a worker that is starting, too, and starts no more', async () => {
  const started = Promise.withResolvers<void>();
  const { group, calls, starts, kill } = await startGroup(holdThird(started.promise));
  kill(1);
  await expect.poll(() => starts).toHaveLength(3);
  const stopped = group.stop();
  started.resolve();
  expect(await stopped).toBe(true);
  expect(calls.toSorted()).toEqual(['stop 2', 'stop 3']);
  await group.replaceAll(() => newConfig);
  expect(starts).toHaveLength(3);
});

it('reports a worker that is killed while it retires', async () => {
  const { group, kill, pids, reported, hangs } = await startGroup();
  hangs.add('retire 1').add('retire 2');
  await group.replaceAll(() => config);
  kill(1);
  await expect.poll(() => reported).toEqual([1]);
  expect(pids()).toEqual(['1: 3', '2: 4']);
});

it('ends a worker that hangs, and keeps one that answers', async () => {
  const { group, hangs, pids, untilServing } = await startGroup(undefined, { watchEveryMs: 10 });
  hangs.add('ping 2');
  await expect.poll(() => [...group.responding().keys()]).toEqual([1]);
  expect(pids()).toEqual(['1: 1', '2: 2']);
  await untilServing('1: 1', '2: 3');
  expect([...group.responding().keys()]).toEqual([1, 2]);
  await group.stop();
});
