import { expect, it } from 'vitest';

import { assessConninfo, assessShares } from './nodes.js';
import {
  assessCommitTime,
  assessEncryption,
  assessNodeReplication,
  assessReplication,
  assessVersion,
  type Transport,
} from './postgresql.js';

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
  { shards: [1, 1], status: 'ok' },
  { shards: [2, 1], status: 'ok' },
  { shards: [3, 1], status: 'warning' },
  { shards: [3], status: 'ok' },
])('assesses nodes with so many shards of one size: $shards, $status', ({ shards, status }) => {
  const size = 2 ** 32 / shards.reduce((sum, count) => sum + count);
  const nodes = shards.map((count, group) => ({
    ...{ group, name: `db-${group}:5432` },
    shards: Array.from({ length: count }, () => ({ group, min: 0, max: size - 1 })),
  }));
  expect(assessShares(nodes)).toMatchObject({ status });
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
