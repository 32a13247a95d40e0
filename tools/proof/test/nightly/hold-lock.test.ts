import { expect, it } from 'vitest';
import { holdLock } from '../../src/disk/hold-lock.js';
import { shortContext } from '../support/short-context.js';

// Not by default: it waits until the service gives a lock up; `disk.test.ts` has an outage of another cause.
it('a 200 is stored although another process locks the file', async () => {
  const { figures, failures } = await holdLock(shortContext(20_261_123));
  expect(failures).toEqual([]);
  expect(figures).toMatchObject({ locks: 1, lost: 0, phantom: 0, double: 0 });
});
