import { expect, it } from 'vitest';
import { createShardMap } from '../store/postgresql/citus/shard-map.js';
import { assessNodeReplication, assessReplication } from './durability.js';
import { assessEncryption, type Transport } from './exposure.js';
import { assessConninfo, assessShares, idsOnPresentNodes } from './nodes.js';
import { assessCommitTime, assessVersion } from './postgresql.js';

it.each<[Transport, string]>([
  [{ host: '/var/run/postgresql', hasTls: false, mode: null }, 'ok'],
  [{ host: '127.0.0.1', hasTls: false, mode: 'disable' }, 'ok'],
  [{ host: '127.0.0.1', hasTls: true, mode: 'require' }, 'ok'],
  [{ host: 'db.example.com', hasTls: false, mode: null }, 'warning'],
  [{ host: 'db.example.com', hasTls: true, mode: 'require' }, 'warning'],
  [{ host: 'db.example.com', hasTls: true, mode: 'verify-ca' }, 'ok'],
  [{ host: 'db.example.com', hasTls: true, mode: null }, 'ok'],
])('assesses the connection %o: %s', (transport, status) => {
  expect(assessEncryption(transport)).toMatchObject({ status });
});

it.each([
  [{ commits: 'on', names: '', receivers: 0 }, 'ok'],
  [{ commits: 'on', names: '', receivers: 1 }, 'warning'],
  [{ commits: 'on', names: 'standby', receivers: 1 }, 'ok'],
  [{ commits: 'remote_apply', names: 'standby', receivers: 1 }, 'ok'],
  [{ commits: 'local', names: 'standby', receivers: 1 }, 'warning'],
  [{ commits: 'remote_write', names: 'standby', receivers: 1 }, 'warning'],
])('assesses the replication %o: %s', (settings, status) => {
  expect(assessReplication(settings)).toMatchObject({ status });
});

it('warns of a node without a standby where the coordinator has one', () => {
  const without = { commits: 'on', names: '', receivers: 0 };
  const safe = { commits: 'on', names: 'standby', receivers: 1 };
  expect(assessNodeReplication(without, 'db-1:5432', safe)).toMatchObject({
    status: 'warning',
    found: expect.stringContaining('db-1:5432'),
  });
  expect(assessNodeReplication(without, 'db-1:5432', without)).toMatchObject({ status: 'ok' });
  expect(assessNodeReplication(safe, 'db-1:5432', safe)).toMatchObject({ status: 'ok' });
});

it('counts the receivers of the log', () => {
  const replication = { commits: 'on', names: '' };
  expect(assessReplication({ ...replication, receivers: 1 }).found).toContain('1 standby or backup receives');
  expect(assessReplication({ ...replication, receivers: 2 }).found).toContain(
    '2 standbys or backups receive ',
  );
});

it('warns of a version that is not maintained', () => {
  expect(assessVersion(130_022)).toMatchObject({
    status: 'warning',
    found: expect.stringContaining('13.22'),
  });
  expect(assessVersion(180_004)).toEqual({ status: 'ok', found: 'PostgreSQL 18.4, which accepts writes' });
});

it('warns of a server that is slow to commit', () => {
  expect(assessCommitTime(2)).toMatchObject({ status: 'ok' });
  expect(assessCommitTime(200)).toMatchObject({ status: 'warning' });
});

it.each([
  { nodes: [1, 2], status: 'ok' },
  { nodes: [1, 1, 2], status: 'ok' },
  { nodes: [1, 1, 1, 2], status: 'warning' },
  { nodes: [1, 1, 1], status: 'ok' },
])('assesses shards on the nodes $nodes: $status', ({ nodes, status }) => {
  const size = 2 ** 32 / nodes.length;
  const map = createShardMap(
    nodes.map((node, index) => ({
      id: index,
      minHash: Math.round(index * size - 2 ** 31),
      maxHash: Math.round((index + 1) * size - 2 ** 31) - 1,
      node,
    })),
  );
  expect(assessShares(map)).toMatchObject({ status });
});

it('tries an id on each node that is not away', () => {
  const shards = [1, 2, 3].map((node) => ({
    id: node,
    minHash: [-(2 ** 31), 0, 2 ** 30][node - 1] ?? 0,
    maxHash: [-1, 2 ** 30 - 1, 2 ** 31 - 1][node - 1] ?? 0,
    node,
    address: { host: `db-${node}`, port: 5432 },
  }));
  const map = createShardMap(shards);
  const inspections = [{ node: { host: 'db-2', port: 5432 }, reason: 'away' }];
  const ids = idsOnPresentNodes({ map, inspections });
  expect(ids.map((id) => map.nodeOf(map.shardOf(id))).toSorted()).toEqual([1, 3]);
});

it('warns of connections between nodes that hang when a host is lost, with the setting that ends them', () => {
  const complete =
    'sslmode=require tcp_user_timeout=4000 keepalives_idle=4 keepalives_interval=2 keepalives_count=2';
  expect(assessConninfo(complete)).toBeUndefined();
  expect(assessConninfo('sslmode=require keepalives_idle=30')).toMatchObject({
    status: 'warning',
    advice: expect.stringContaining(
      `'sslmode=require keepalives_idle=30 tcp_user_timeout=4000 keepalives_interval=2 keepalives_count=2'`,
    ),
  });
  expect(assessConninfo('tcp_user_timeout=0')).toMatchObject({ status: 'warning' });
  expect(assessConninfo(undefined)).toMatchObject({ advice: expect.stringContaining('tcp_user_timeout=') });
});
