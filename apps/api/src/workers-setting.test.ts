import { expect, it } from 'vitest';
import { parseConfig } from './config.js';
import { countAvailableCores } from './runtime/available-cores.js';

it('is one worker unless set, a number, or one for each core', () => {
  expect(parseConfig({}, '/').workers).toBe(1);
  expect(parseConfig({ WORKERS: '1024' }, '/').workers).toBe(1_024);
  expect(parseConfig({ WORKERS: 'auto' }, '/').workers).toBe(countAvailableCores());
});

it.each(['0', '-1', '1.5', '1025', 'AUTO', ' 2', '1e1', 'many'])('rejects WORKERS="%s"', (text) => {
  expect(() => parseConfig({ WORKERS: text }, '/')).toThrow(
    'WORKERS must be auto or a whole number from 1 to 1024',
  );
});

it.each([
  ['QUEUE_MAX_PLANTS', { QUEUE_MAX_PLANTS: '3' }, 'must be at least the 4 of WORKERS'],
  [
    'DATABASE_POOL_SIZE',
    { DATABASE_URL: 'postgresql://localhost/plants', DATABASE_POOL_SIZE: '4' },
    'must be more than the 4 of WORKERS: one connection for each, and one besides',
  ],
  [
    'BODY_MEMORY_MAX_BYTES',
    { BODY_MAX_BYTES: '1000', BODY_MEMORY_MAX_BYTES: '7999' },
    'must be at least twice BODY_MAX_BYTES for each worker',
  ],
])('rejects a %s of which a worker would get too little', (name, variables, problem) => {
  expect(() => parseConfig({ ...variables, WORKERS: '4' }, '/')).toThrow(`${name} ${problem}`);
  expect(() => parseConfig({ ...variables, WORKERS: '3' }, '/')).not.toThrow();
});
