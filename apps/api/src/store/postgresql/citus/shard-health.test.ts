import { expect, it, vi } from 'vitest';
import { ServiceError } from '../../../errors/service-error.js';
import type { CommitProbe } from '../probe-commit.js';
import { createShardHealth, type FailingShard } from './shard-health.js';

const away = new ServiceError('database_unavailable', 'away');
const ready = { ready: true };

/** Shards that fail, with probes that succeed, fail or hang by the id that they try. */
function createTestHealth(...failing: readonly FailingShard[]) {
  const left = new Map(failing.map((shard) => [shard.shard, shard]));
  const probed: (CommitProbe | undefined)[] = [];
  const probes = new Map<bigint | undefined, Promise<void>>();
  const lines: string[] = [];
  const warned: object[] = [];
  const check = vi.fn(async () => undefined);
  const health = createShardHealth({
    commits: {
      findFailing: () => [...left.values()],
      succeeded: (shard) => void left.delete(shard),
    },
    database: {
      check,
      probeCommit: (probe) => {
        probed.push(probe);
        return probes.get(probe?.id) ?? Promise.reject(away);
      },
    },
    log: {
      info: (_, message) => void lines.push(message),
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
  return { health, run, probes, probed, lines, warned, check };
}

const shard = (shard: number, share = 0.25): FailingShard => ({
  shard,
  node: shard % 2,
  id: BigInt(shard),
  share,
  error: away,
});
const succeed = Promise.resolve();
const hang = new Promise<void>(() => undefined);

it('asks the database alone while no commits fail', async () => {
  const { health, run, probed, check, lines } = createTestHealth();
  expect(await run()).toBe(ready);
  expect(check).toHaveBeenCalledTimes(1);
  expect([probed, lines, health.warnings(), health.failingShare()]).toEqual([[], [], [], 0]);
});

it('probes the only shard without an id, and is not ready before that succeeds', async () => {
  const { run, probes, probed } = createTestHealth({ ...shard(0, 1), id: undefined });
  expect(await run()).toBe(away);
  probes.set(undefined, succeed);
  expect(await run()).toBe(ready);
  expect(probed).toEqual([undefined, undefined]);
});

it('is ready while at least half of the ids can be stored, and warns', async () => {
  const { health, run, probes, check, lines } = createTestHealth(
    ...[1, 3, 5, 7, 9].map((n) => shard(n, 0.1)),
  );
  expect(await run()).toBe(ready);
  expect(await run()).toBe(ready);
  expect(check).toHaveBeenCalledTimes(2);
  expect(health.warnings()).toEqual([expect.stringMatching(/^Plants with 50 % of the ids cannot be stored/)]);
  expect(lines).toEqual(['degraded']);
  for (const id of [1n, 3n, 5n, 7n, 9n]) probes.set(id, succeed);
  while (health.failingShare() > 0) await run();
  expect(await run()).toBe(ready);
  expect(health.warnings()).toEqual([]);
  expect(lines).toEqual(['degraded', 'no longer degraded']);
});

it('is not ready while more fail, until enough of what failed succeeds', async () => {
  const { health, run, probes, probed, check } = createTestHealth(shard(1), shard(3), shard(2));
  expect(await run()).toBe(away);
  expect(check).not.toHaveBeenCalled();
  probes.set(2n, succeed);
  // The probe of the other node may have failed before.
  await run();
  expect(await run()).toBe(ready);
  expect(health.failingShare()).toBe(0.5);
  expect(probed).toContainEqual({ id: 2n, node: 0 });
});

it('recovers although another node hangs, with one probe of that in flight', async () => {
  const { run, probes, probed } = createTestHealth(shard(1), shard(3), shard(2));
  for (const id of [1n, 3n]) probes.set(id, hang);
  probes.set(2n, succeed);
  expect(await run()).toBe(ready);
  for (let count = 0; count < 5; count++) expect(await run()).toBe(ready);
  expect(probed.filter((probe) => probe?.node === 1)).toHaveLength(1);
});

it('probes all of a node in time, though one of them keeps failing', async () => {
  const { health, run, probes } = createTestHealth(shard(1, 0.1), shard(3, 0.1), shard(5, 0.1));
  probes.set(3n, succeed);
  probes.set(5n, succeed);
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
