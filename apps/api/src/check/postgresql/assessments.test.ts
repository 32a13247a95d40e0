import { expect, it } from 'vitest';
import { assessCommitTime } from './commit.js';
import { assessReplication } from './durability.js';
import { assessEncryption, type Transport } from './encryption.js';
import { assessVersion } from './server.js';
import { assessClock, assessRoundTrip } from './time.js';

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

it('warns of a server that is far away, or slow to commit', () => {
  expect(assessRoundTrip(0.3)).toMatchObject({ status: 'ok' });
  expect(assessRoundTrip(30)).toMatchObject({
    status: 'warning',
    found: expect.stringContaining('30.00 ms'),
  });
  expect(assessCommitTime(2)).toMatchObject({ status: 'ok' });
  expect(assessCommitTime(200)).toMatchObject({ status: 'warning' });
});

it('warns of clocks that differ for certain', () => {
  expect(assessClock({ differenceMs: 900, uncertainMs: 1 })).toMatchObject({ status: 'ok' });
  expect(assessClock({ differenceMs: 5_000, uncertainMs: 4_500 })).toMatchObject({ status: 'ok' });
  expect(assessClock({ differenceMs: 5_000, uncertainMs: 10 })).toMatchObject({
    status: 'warning',
    found: expect.stringContaining('5.0 s ahead of'),
  });
  expect(assessClock({ differenceMs: -5_000, uncertainMs: 10 }).found).toContain('5.0 s behind');
});
