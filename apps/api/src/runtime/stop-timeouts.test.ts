import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { clusterStopTimeouts, stopTimeouts } from './stop-timeouts.js';

const deploy = readFileSync(new URL('../../../../docs/operate/deploy.md', import.meta.url), 'utf8');
const { databaseMs, ...lastSteps } = stopTimeouts;

it.each([
  ['one process', /ends\s+within\s+(\d+)\s+seconds/, { databaseMs, ...lastSteps }],
  ['workers', /(\d+)\s+seconds\s+with\s+workers/, { ...clusterStopTimeouts, ...lastSteps }],
])(
  'leave a quarter of the time that docs/operate/deploy.md promises to the machine: %s',
  (_, promise, timeouts) => {
    const [, seconds] = promise.exec(deploy) ?? [];
    const sum = Object.values(timeouts).reduce((total, timeoutMs) => total + timeoutMs, 0);
    expect(sum).toBeLessThanOrEqual(0.75 * 1_000 * Number(seconds));
  },
);
