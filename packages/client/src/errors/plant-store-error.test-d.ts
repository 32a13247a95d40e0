import { expectTypeOf, test } from 'vitest';
import { isNetworkError } from './network-error.js';
import { isPlantStoreError, type PlantStoreError } from './plant-store-error.js';
import { isTimeoutError } from './timeout-error.js';
import { isUnexpectedResponseError, type UnexpectedResponseError } from './unexpected-response-error.js';

test('the classes can be distinguished one by one, in any order', () => {
  const error: unknown = undefined;
  if (!isPlantStoreError(error)) return;
  if (isNetworkError(error)) {
    expectTypeOf(error.name).toEqualTypeOf<'NetworkError'>();
  } else if (isTimeoutError(error)) {
    expectTypeOf(error.name).toEqualTypeOf<'TimeoutError'>();
  } else {
    expectTypeOf(error).toEqualTypeOf<PlantStoreError>();
    if (isUnexpectedResponseError(error)) expectTypeOf(error).toEqualTypeOf<UnexpectedResponseError>();
  }
});
