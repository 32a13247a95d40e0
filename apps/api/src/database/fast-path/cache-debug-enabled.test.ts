import { Debug } from '@prisma/driver-adapter-utils';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { cacheDebugEnabled } from './cache-debug-enabled.js';

const written = vi.spyOn(console, 'warn').mockImplementation(() => undefined);
let before: typeof Debug.enabled;

beforeEach(() => {
  before = Debug.enabled;
  Debug.enable('prisma:asked-*');
  cacheDebugEnabled();
});
afterEach(() => {
  Debug.enabled = before;
  Debug.disable();
  written.mockClear();
});

it('lets those parts of Prisma tell that DEBUG asks for', () => {
  Debug('prisma:asked-for')('heard');
  Debug('prisma:other')('not heard');
  expect(written.mock.calls.flat().join()).toContain('heard');
  expect(written).toHaveBeenCalledTimes(1);
});

it('decides once for each part', () => {
  const part = Debug('prisma:not-asked');
  Debug.enable('prisma:not-asked');
  part('not heard');
  expect(written).not.toHaveBeenCalled();
});
