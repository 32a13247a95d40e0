import { expect, it } from 'vitest';
import { assessCommitTime, assessEncryption, assessReplication, assessVersion } from './postgresql.js';

const encryption = (host: string, hasTls: boolean, mode: string | null) =>
  assessEncryption({ host, hasTls, mode });
const replication = (commits: string, names: string, receivers: number) =>
  assessReplication({ commits, names, receivers });

it.each([
  [encryption('/var/run/postgresql', false, null), 'ok', ''],
  [encryption('127.0.0.1', false, 'disable'), 'ok', ''],
  [encryption('127.0.0.1', true, 'require'), 'ok', ''],
  [encryption('db.example.com', false, null), 'warning', 'is not encrypted'],
  [encryption('db.example.com', true, 'require'), 'warning', 'certificate is not verified'],
  [encryption('db.example.com', true, 'verify-ca'), 'ok', ''],
  [encryption('db.example.com', true, null), 'ok', ''],
  [replication('on', '', 0), 'ok', ''],
  [replication('on', '', 1), 'warning', '1 standby or backup receives '],
  [replication('on', '', 2), 'warning', '2 standbys or backups receive '],
  [replication('remote_apply', 'standby', 1), 'ok', ''],
  [replication('local', 'standby', 1), 'warning', 'do not wait for the standby'],
  [replication('remote_write', 'standby', 1), 'warning', "the standby's disk"],
  [assessVersion(130_022), 'warning', '13.22'],
  [assessVersion(180_004), 'ok', 'PostgreSQL 18.4, which accepts writes'],
  [assessCommitTime(2), 'ok', ''],
  [assessCommitTime(200), 'warning', ''],
] as const)('assesses the server: %o', (finding, status, found) => {
  expect(finding).toMatchObject({ status, found: expect.stringContaining(found) });
});
