import { expect, it } from 'vitest';
import type { Progress } from '../protocol.js';
import { createAnnouncer } from './announce.js';

const quiet = { stop: undefined, retrying: undefined, rejected: 0, rejections: [], kept: 0, restored: 0 };
const steady = { ...quiet, task: 'add', runs: 1, state: 'running', total: 1000 } as const;
const progress = (done: number, changes?: Partial<Progress>) => ({ ...steady, done, ...changes });

it('announces progress every ten seconds, not ten times a second', () => {
  const announce = createAnnouncer();
  expect(announce(progress(0), 0)).toBe('0 of 1,000 plants done.');
  expect(announce(progress(150), 1000)).toBeUndefined();
  expect(announce(progress(160), 9_999)).toBeUndefined();
  expect(announce(progress(171), 10_000)).toBe('171 of 1,000 plants done.');
  expect(announce(progress(171), 60_000)).toBeUndefined();
});

it('announces at once that a run tries again, stops or ends', () => {
  const announce = createAnnouncer();
  announce(progress(0), 0);
  const message = 'The service cannot be reached.';
  expect(announce(progress(1, { retrying: message }), 1)).toBe(`${message} 1 of 1,000 plants done.`);
  const stopped = { state: 'stopped', stop: { cause: 'other', message } } as const;
  expect(announce(progress(2, stopped), 2)).toBe(`${message} 2 of 1,000 plants done.`);
  expect(announce(progress(2, { state: 'stopped' }), 3)).toBe('Cancelled. 2 of 1,000 plants done.');
  expect(announce(progress(1000, { state: 'ended' }), 4)).toBe('Finished. 1,000 of 1,000 plants done.');
});
