import { expect, it } from 'vitest';
import { assessWorkers } from './workers.js';

it('is fine up to the number of cores, and names what auto stands for', () => {
  expect(assessWorkers(1, 1)).toEqual({ status: 'ok', found: '1; WORKERS=auto is 1 here' });
  expect(assessWorkers(4, 4)).toEqual({ status: 'ok', found: '4; WORKERS=auto is 4 here' });
});

it('warns of more workers than cores', () => {
  expect(assessWorkers(3, 2)).toEqual({
    status: 'warning',
    found: '3; WORKERS=auto is 2 here, so workers wait for each other',
    advice: 'Set WORKERS to no more than the cores that the service may use, or to auto.',
  });
});
