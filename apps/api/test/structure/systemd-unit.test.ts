import { expect, it } from 'vitest';
import { defaultDrainDelayMs } from '../../src/cli/serve.js';
import { parseConfig } from '../../src/config.js';
import { migrationTimeoutMs } from '../../src/database/postgresql/migrate-postgresql.js';
import { readPage } from '../support/read-markdown.js';

const unit = readPage('deploy/plant-store.service');

function read(name: string): string | undefined {
  return new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1];
}

/** How much longer systemd waits than the service promises to take, in milliseconds. */
const marginMs = 5_000;

/** Within what time a stop ends after the shutdown timeout, as docs/deploy.md promises, in milliseconds. */
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
