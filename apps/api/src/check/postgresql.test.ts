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
  [{ commits: 'on', names: '', receivers: 0 }, 'ok', ''],
  [{ commits: 'on', names: '', receivers: 1 }, 'warning', '1 standby or backup receives '],
  [{ commits: 'on', names: '', receivers: 2 }, 'warning', '2 standbys or backups receive '],
  [{ commits: 'on', names: 'standby', receivers: 1 }, 'ok', ''],
  [{ commits: 'remote_apply', names: 'standby', receivers: 1 }, 'ok', ''],
  [{ commits: 'local', names: 'standby', receivers: 1 }, 'warning', ''],
  [{ commits: 'remote_write', names: 'standby', receivers: 1 }, 'warning', ''],
])('assesses the replication %o: %s %s', (settings, status, found) => {
  expect(assessReplication(settings)).toMatchObject({ status, found: expect.stringContaining(found) });
});

const without = { commits: 'on', names: '', receivers: 0 };
const safe = { commits: 'on', names: 'standby', receivers: 1 };

it.each([
  [without, safe, 'warning', 'db-1:5432'],
  [without, without, 'ok', ''],
  [safe, safe, 'ok', ''],
])('assesses a node with %o where the coordinator has %o: %s', (node, coordinator, status, found) => {
  const expected = { status, found: expect.stringContaining(found) };
  expect(assessNodeReplication(node, 'db-1:5432', coordinator)).toMatchObject(expected);
});

it.each([
  [assessVersion(130_022), 'warning', '13.22'],
  [assessVersion(180_004), 'ok', 'PostgreSQL 18.4, which accepts writes'],
  [assessCommitTime(2), 'ok', ''],
  [assessCommitTime(200), 'warning', ''],
])('warns of a version that is not maintained, and of slow commits: %o', (finding, status, found) => {
  expect(finding).toMatchObject({ status, found: expect.stringContaining(found) });
});

it.each([
  [[1, 1], 'ok'],
  [[2, 1], 'ok'],
  [[3, 1], 'warning'],
  [[3], 'ok'],
])('assesses nodes with so many shards of one size: %j, %s', (shards, status) => {
  const size = 2 ** 32 / shards.reduce((sum, count) => sum + count);
  const nodes = shards.map((count, group) => ({
    group,
    name: `db-${group}:5432`,
    shards: Array.from({ length: count }, () => ({ group, min: 0, max: size - 1 })),
  }));
  expect(assessShares(nodes)).toMatchObject({ status });
});

const complete =
  'sslmode=require tcp_user_timeout=4000 keepalives_idle=4 keepalives_interval=2 keepalives_count=2';

it.each([
  [complete, undefined],
  [
    'sslmode=require keepalives_idle=30',
    `'sslmode=require keepalives_idle=30 tcp_user_timeout=4000 keepalives_interval=2 keepalives_count=2'`,
  ],
  ['tcp_user_timeout=0', ''],
  [undefined, 'tcp_user_timeout='],
])(
  'warns of connections between nodes that hang when a host is lost, and says what ends them: %s',
  (info, advice) => {
    const found = assessConninfo(info);
    if (advice === undefined) expect(found).toBeUndefined();
    else expect(found).toMatchObject({ status: 'warning', advice: expect.stringContaining(advice) });
  },
);
