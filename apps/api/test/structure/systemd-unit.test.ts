import { expect, it } from 'vitest';
import { defaultDrainDelayMs } from '../../src/cli/serve.js';
import { parseConfig } from '../../src/config.js';
import { migrationTimeoutMs } from '../../src/store/postgresql/migrate-postgresql.js';
import { readPage } from '../support/read-markdown.js';

const unit = readPage('deploy/plant-store.service');

function read(name: string): string | undefined {
  return new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1];
}

/** How much longer systemd waits than the service promises to take, in milliseconds. */
const marginMs = 5_000;

/** Within what time a stop ends after the shutdown timeout, as docs/operate/deploy.md promises, in milliseconds. */
const endMs = 2_000;

it('the systemd unit waits until a stop with the default settings has ended by itself', () => {
  const { shutdownTimeoutMs } = parseConfig({}, '/');
  const longestStopMs = defaultDrainDelayMs + shutdownTimeoutMs + endMs;
  expect(Number(read('TimeoutStopSec')) * 1_000).toBeGreaterThanOrEqual(longestStopMs + marginMs);
});

it('the systemd unit waits until migrations have given up', () => {
  expect(Number(read('TimeoutStartSec')) * 1_000).toBeGreaterThan(2 * migrationTimeoutMs + marginMs);
});

it('the systemd unit restarts the service without end, unless its settings are invalid', () => {
  expect(read('Restart')).toBe('on-failure');
  expect(read('RestartPreventExitStatus')).toBe('2');
  expect(read('StartLimitIntervalSec')).toBe('0');
});

it('a command by as-service.sh has the user, settings and files of the unit', () => {
  const script = readPage('deploy/as-service.sh');
  const environment = (unit.match(/(?<=^Environment=).+$/gm) ?? []).flatMap((values) => values.split(' '));
  expect(environment.length).toBeGreaterThan(3);
  const same = 'EnvironmentFile StateDirectory StateDirectoryMode WorkingDirectory LimitNOFILE UMask';
  const expected = [
    `--uid=${read('User')}`,
    `--gid=${read('Group')}`,
    ...environment.map((value) => `--setenv=${value}`),
    ...same.split(' ').map((name) => `--property=${name}=${read(name)}`),
  ];
  expect(script.match(/--\S+/g)).toEqual(expect.arrayContaining(expected));
  expect(script).toContain(`set -- ${read('ExecStart')?.replace(/ serve$/, '')} "$@"`);
  const [, credential] =
    /^LoadCredential=(.+)$/m.exec(readPage('deploy/plant-store.service.d/postgresql.conf')) ?? [];
  const started = script.replaceAll('$password', /^password=(.+)$/m.exec(script)?.[1] ?? '');
  expect(started).toContain(`--property=LoadCredential=${credential}`);
});

it('the nightly backup has the user, settings and hardening of the unit, and may reach the network', () => {
  const backup = readPage('deploy/plant-store-backup.service');
  const own =
    /^(Type|ExecStart|Restart|RestartSec|RestartPrevent|Timeout|NotifyAccess|OOM|Limit|IPAddress|WantedBy|Description|Documentation|StartLimit|Environment=ADMIN)/;
  const lines = unit.split('\n').filter((line) => /^\w+=/.test(line) && !own.test(line));
  expect(lines.length).toBeGreaterThan(30);
  expect(lines.filter((line) => !backup.split('\n').includes(line))).toEqual([]);
  expect(backup).toContain(`${read('ExecStart')?.replace(/ serve$/, ' backup')}\n`);
});
