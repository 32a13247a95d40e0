import type { Pool } from 'pg';
import { beforeEach, expect, it, vi } from 'vitest';
import { until } from '../../../../test/support/until.js';
import { findDriverError, isUnavailable } from '../errors.js';
import { createDurableNodes, type DurableNodes } from './durable-nodes.js';
import { createShardMap } from './shard-map.js';

/** What the nodes report, by their hosts; an error for one that is away. */
let settings: Record<string, { commits: string; messages: string } | Error>;
/** The hosts that were asked for their settings. */
let checks: string[];
let nodes: DurableNodes;
const insert = vi.fn(async () => 'stored');

const durable = { commits: 'on', messages: 'notice' };

beforeEach(() => {
  settings = { 'db-1': durable, 'db-2': durable };
  checks = [];
  insert.mockClear();
  const shard = (node: number, minHash: number, maxHash: number) => ({
    id: node,
    minHash,
    maxHash,
    node,
    address: { host: `db-${node}`, port: 5432 },
  });
  const map = createShardMap([
    shard(0, -(2 ** 31), -1),
    shard(1, 0, 2 ** 30 - 1),
    shard(2, 2 ** 30, 2 ** 31 - 1),
  ]);
  const query = async (_: string, [group]: [number]) => {
    const host = `db-${group}`;
    checks.push(host);
    const found = settings[host];
    if (found instanceof Error && 'code' in found) throw found;
    if (found instanceof Error) return { rows: [{ success: false, result: found.message }] };
    return { rows: [{ success: true, result: JSON.stringify(found) }] };
  };
  nodes = createDurableNodes({
    pool: { query } as unknown as Pick<Pool, 'query'>,
    currentMap: () => map,
    runOnNode: (_, statement) => statement(),
  });
});

/** Runs an insert on a node, and returns the message of its error. */
const failOn = (node: number) =>
  nodes.run(node, insert).then(
    () => undefined,
    (error: Error) => error.message,
  );

it('checks a node before its first statement, once', async () => {
  const outcomes = [nodes.run(1, insert), nodes.run(1, insert), nodes.run(2, insert)];
  expect(insert).not.toHaveBeenCalled();
  expect(await Promise.all(outcomes)).toEqual(['stored', 'stored', 'stored']);
  await nodes.run(1, insert);
  expect(checks).toEqual(['db-1', 'db-2']);
});

it('names a node that does not answer', async () => {
  settings['db-1'] = Object.assign(new Error('canceled'), { severity: 'ERROR', code: '57014' });
  expect(await failOn(1)).toBe('db-1:5432 does not answer');

  insert.mockRejectedValueOnce(settings['db-1']);
  const error: unknown = await nodes.run(2, insert).catch((reason: unknown) => reason);
  expect(findDriverError(error)).toEqual({ code: '57014', message: expect.stringContaining('db-2:5432') });
});

it('leaves the coordinator alone, whose connections the service sets itself', async () => {
  expect(await nodes.run(0, insert)).toBe('stored');
  nodes.check();
  await until(async () => checks.length === 2);
  expect(checks).toEqual(['db-1', 'db-2']);
});

it.each([
  { ...durable, commits: 'off' },
  { ...durable, messages: 'error' },
])('stores nothing on a node with %o, until the service is started again', async (found) => {
  settings['db-1'] = found;
  const error: unknown = await nodes.run(1, insert).catch((reason: unknown) => reason);
  expect(String(error)).toMatch(/node db-1:5432.*ALTER ROLE/);
  const driverError = findDriverError(error);
  expect(driverError && isUnavailable(driverError)).toBe(true);
  settings['db-1'] = durable;
  nodes.check();
  expect(await failOn(1)).toContain('db-1:5432');
  expect(insert).not.toHaveBeenCalled();
  expect(await nodes.run(2, insert)).toBe('stored');
});

it('checks a node again after it was away, since another machine may have taken its place', async () => {
  await nodes.run(1, insert);
  insert.mockRejectedValueOnce(Object.assign(new Error('gone'), { severity: 'ERROR', code: '08006' }));
  settings['db-1'] = new Error('failed to connect');
  expect([await failOn(1), await failOn(1)]).toEqual(['gone', 'failed to connect']);
  expect(insert).toHaveBeenCalledTimes(2);
  settings['db-1'] = { ...durable, commits: 'off' };
  expect(await failOn(1)).toContain('synchronous_commit = off');
});

it('goes on with a node that stores plants while it cannot be checked', async () => {
  await nodes.run(1, insert);
  settings['db-1'] = new Error('too many connections');
  nodes.check();
  await until(async () => checks.length === 3);
  await new Promise(setImmediate);
  expect(await nodes.run(1, insert)).toBe('stored');
});

it('does not check it again after an error of the statement', async () => {
  insert.mockRejectedValueOnce(Object.assign(new Error('deadlock'), { severity: 'ERROR', code: '40P01' }));
  expect(await failOn(1)).toBe('deadlock');
  await nodes.run(1, insert);
  expect(checks).toEqual(['db-1']);
});

it('finds a setting that was changed while nodes are in use', async () => {
  await nodes.run(1, insert);
  settings['db-1'] = { ...durable, commits: 'off' };
  nodes.check();
  await until(async () => (await failOn(1)) !== undefined);
});
