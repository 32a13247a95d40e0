import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { stopTimeouts } from './stop-timeouts.js';

const deploy = new URL('../../../../docs/deploy.md', import.meta.url);

it('leave a quarter of the time that docs/deploy.md promises to the machine', () => {
  const [, seconds] = /ends\s+within\s+(\d+)\s+seconds/.exec(readFileSync(deploy, 'utf8')) ?? [];
  const sum = Object.values(stopTimeouts).reduce((total, timeoutMs) => total + timeoutMs, 0);
  expect(sum).toBeLessThanOrEqual(0.75 * 1_000 * Number(seconds));
});
