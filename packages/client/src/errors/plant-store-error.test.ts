import { describe, expect, it } from 'vitest';
import { NetworkError } from './network-error.js';
import { isPlantStoreError, PlantStoreError } from './plant-store-error.js';
import { TimeoutError } from './timeout-error.js';
import { UnexpectedResponseError } from './unexpected-response-error.js';

describe('PlantStoreError', () => {
  it.each([
    new NetworkError('gone', { outcome: 'unknown' }),
    new TimeoutError('late', { outcome: 'unknown' }),
    new UnexpectedResponseError('undeclared status', 404, ''),
  ])('is what a $name extends', (error) => {
    expect(error).toBeInstanceOf(PlantStoreError);
    expect(error).toBeInstanceOf(Error);
    expect(isPlantStoreError(error)).toBe(true);
  });

  it('is not any other value', () => {
    const lookalike = Object.assign(new Error('gone'), { name: 'PlantStoreError' });
    expect([new TypeError('gone'), lookalike, 'gone', undefined].filter(isPlantStoreError)).toEqual([]);
  });
});
