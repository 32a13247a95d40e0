import { expect, it } from 'vitest';
import type { Progress } from '../protocol.js';
import { createAnnouncer } from './announce.js';
import { formatTimeLeft } from './format-progress.js';

const progress = (stored: number, changes: Partial<Progress> = {}): Progress => ({
  starts: 1,
  state: 'running',
  stop: undefined,
  resumesAt: undefined,
  stored,
  replayed: 0,
  rejected: 0,
  open: 1000 - stored,
  inFlight: 1,
  rate: 100,
  secondsLeft: 1,
  ...changes,
});

it('announces progress every ten percent, or ten seconds, but not ten times a second', () => {
  const announce = createAnnouncer();
  expect(announce(progress(0), 0)).toBe('0 of 1,000 plants done.');
  expect(announce(progress(150), 1000)).toBeUndefined();
  expect(announce(progress(160), 2000)).toBe('160 of 1,000 plants done.');
  expect(announce(progress(170), 11_000)).toBeUndefined();
  expect(announce(progress(171), 12_000)).toBe('171 of 1,000 plants done.');
  expect(announce(progress(171), 60_000)).toBeUndefined();
});

it('announces at once that a run waits, pauses or ends', () => {
  const announce = createAnnouncer();
  announce(progress(0), 0);
  const stop = { cause: 'network', message: 'The service cannot be reached.' } as const;
  expect(announce(progress(1, { state: 'waiting', stop }), 1)).toContain(
    'Waiting. The service cannot be reached.',
  );
  expect(announce(progress(1, { state: 'paused', stop }), 2)).toContain(
    'Paused. The service cannot be reached.',
  );
  expect(announce(progress(1000, { state: 'ended' }), 3)).toBe('Finished. 1,000 of 1,000 plants done.');
});

it.each([
  [undefined, 'Time left unknown'],
  [3, 'A few seconds left'],
  [41, 'About 50 s left'],
  [61, 'About 2 min left'],
  [7300, 'About 2 h 2 min left'],
])('writes %s seconds as "%s"', (seconds, text) => {
  expect(formatTimeLeft(seconds)).toBe(text);
});
