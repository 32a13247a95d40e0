import * as z from 'zod';
import { INT64_MAX, INT64_MIN, isInt64 } from './int64.js';

/**
 * `integer, format int64` as a parameter in a path or a query: takes the decimal digits as text, gives a `bigint`.
 *
 * Only the shortest notation is valid, so that one value has one URL: no plus sign, no leading zero and no `-0`. The input
 * is typed as what a client passes, which writes it as text.
 */
export const Int64ParameterSchema = z
  .custom<number | bigint>(
    (value) => typeof value === 'string' && shortest.test(value) && isInt64(BigInt(value)),
    {
      error: ({ input }) =>
        input === undefined ? 'is required' : `must be an integer from ${INT64_MIN} to ${INT64_MAX}`,
    },
  )
  .meta({ override: { type: 'integer', format: 'int64' } })
  .transform((value) => BigInt(value));

/** Bounded, since `BigInt` takes time that grows with the square of the length. */
const shortest = /^(0|-?[1-9]\d{0,18})$/;
