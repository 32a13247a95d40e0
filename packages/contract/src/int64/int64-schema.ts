import * as z from 'zod';
import { INT64_MAX, INT64_MIN, isInt64 } from './int64.js';

/**
 * `integer, format int64` of the API: takes a safe `number` or a `bigint`, gives a `bigint`.
 *
 * Fails on everything that is not exactly a 64-bit signed integer, strings of digits among them.
 */
export const Int64Schema = z
  .custom<number | bigint>(isInt64, {
    error: ({ input }) =>
      input === undefined ? 'is required' : `must be an integer from ${INT64_MIN} to ${INT64_MAX}`,
  })
  .meta({ override: { type: 'integer', format: 'int64' } })
  .transform((value) => BigInt(value));
