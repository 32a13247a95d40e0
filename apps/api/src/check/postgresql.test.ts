import { expect, it } from 'vitest';
import {
  assessCommitTime,
  assessEncryption,
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

it.each([
  [assessVersion(130_022), 'warning', '13.22'],
  [assessVersion(180_004), 'ok', 'PostgreSQL 18.4, which accepts writes'],
  [assessCommitTime(2), 'ok', ''],
  [assessCommitTime(200), 'warning', ''],
])('warns of a version that is not maintained, and of slow commits: %o', (finding, status, found) => {
  expect(finding).toMatchObject({ status, found: expect.stringContaining(found) });
});
