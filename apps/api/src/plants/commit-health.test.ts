import { expect, it, vi } from 'vitest';
import { ServiceError } from '../errors/service-error.js';
import type { FailingDestination } from './commit-health.js';
import { type CommitTrial, createCommitHealth } from './commit-health.js';

const away = new ServiceError('database_unavailable', 'away');
const ready = { ready: true };

/** Destinations that fail, with trials that succeed, fail or hang by the id that they try. */
function createTestHealth(...failing: readonly FailingDestination[]) {
  const left = new Map(failing.map((destination) => [destination.destination, destination]));
  const tried: (CommitTrial | undefined)[] = [];
  const trials = new Map<bigint | undefined, Promise<void>>();
  const lines: string[] = [];
  const warned: object[] = [];
  const check = vi.fn(async () => undefined);
  const health = createCommitHealth({
    commits: {
      findFailing: () => [...left.values()],
      succeeded: (destination) => void left.delete(destination),
    },
    database: {
      check,
      tryCommit: (trial) => {
        tried.push(trial);
        return trials.get(trial?.id) ?? Promise.reject(away);
      },
    },
    log: {
      info: (message) => void lines.push(message),
      warn(fields, message) {
        warned.push(fields);
        lines.push(message);
      },
    },
  });
  const run = () =>
    health.check().then(
      () => ready,
      (error: unknown) => error,
    );
  return { health, run, trials, tried, lines, warned, check };
}

const shard = (destination: number, share = 0.25): FailingDestination => ({
  destination,
  group: destination % 2,
  id: BigInt(destination),
  share,
  error: away,
});
const succeed = Promise.resolve();
const hang = new Promise<void>(() => undefined);

it('asks the database alone while no commits fail', async () => {
  const { health, run, tried, check, lines } = createTestHealth();
  expect(await run()).toBe(ready);
  expect(check).toHaveBeenCalledTimes(1);
  expect([tried, lines, health.warnings(), health.failingShare()]).toEqual([[], [], [], 0]);
});

it('tries the only destination without an id, and is not ready before that succeeds', async () => {
  const { run, trials, tried } = createTestHealth({ ...shard(0, 1), id: undefined });
  expect(await run()).toBe(away);
  trials.set(undefined, succeed);
  expect(await run()).toBe(ready);
  expect(tried).toEqual([undefined, undefined]);
});

it('is ready while at least half of the ids can be stored, and warns', async () => {
  const { health, run, trials, check, lines } = createTestHealth(
    ...[1, 3, 5, 7, 9].map((n) => shard(n, 0.1)),
  );
  expect(await run()).toBe(ready);
  expect(await run()).toBe(ready);
  expect(check).toHaveBeenCalledTimes(2);
  expect(health.warnings()).toEqual([expect.stringMatching(/^Plants with 50 % of the ids cannot be stored/)]);
  expect(lines).toEqual(['degraded']);
  for (const id of [1n, 3n, 5n, 7n, 9n]) trials.set(id, succeed);
  while (health.failingShare() > 0) await run();
  expect(await run()).toBe(ready);
  expect(health.warnings()).toEqual([]);
  expect(lines).toEqual(['degraded', 'no longer degraded']);
});

it('is not ready while more fail, until enough of what failed succeeds', async () => {
  const { health, run, trials, tried, check } = createTestHealth(shard(1), shard(3), shard(2));
  expect(await run()).toBe(away);
  expect(check).not.toHaveBeenCalled();
  trials.set(2n, succeed);
  // The trial of the other group may have failed before.
  await run();
  expect(await run()).toBe(ready);
  expect(health.failingShare()).toBe(0.5);
  expect(tried).toContainEqual({ id: 2n, group: 0 });
});

it('recovers although another group hangs, with one trial of that in flight', async () => {
  const { run, trials, tried } = createTestHealth(shard(1), shard(3), shard(2));
  for (const id of [1n, 3n]) trials.set(id, hang);
  trials.set(2n, succeed);
  expect(await run()).toBe(ready);
  for (let count = 0; count < 5; count++) expect(await run()).toBe(ready);
  expect(tried.filter((trial) => trial?.group === 1)).toHaveLength(1);
});

it('tries all of a group in time, though one of them keeps failing', async () => {
  const { health, run, trials } = createTestHealth(shard(1, 0.1), shard(3, 0.1), shard(5, 0.1));
  trials.set(3n, succeed);
  trials.set(5n, succeed);
  while (health.failingShare() > 0.1) expect(await run()).toBe(ready);
});

it('logs what part of the ids fails, and the cause of the first commit that has failed, once', async () => {
  const cause = new Error('connection refused');
  const refused = new ServiceError('database_unavailable', 'away', { cause });
  const { run, warned } = createTestHealth(
    { ...shard(1), error: undefined },
    { ...shard(2), error: refused },
  );
  for (let count = 0; count < 3; count++) expect(await run()).toBe(ready);
  expect(warned).toEqual([{ failingShare: 0.5, err: cause }]);
});

it.each([
  ['an error without a cause', away],
  ['no error', undefined],
])('logs that ids fail with %s', async (_, error) => {
  const { run, warned } = createTestHealth({ ...shard(1), error });
  await run();
  expect(warned).toEqual([{ failingShare: 0.25, err: error }]);
});
