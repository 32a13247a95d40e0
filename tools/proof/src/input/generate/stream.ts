import fc from 'fast-check';
import { applyChanges, type Change, change } from './body.js';
import type { RequestIds } from './json-text.js';
import { plainRequest, type Request, renderRequest, variedRequest } from './request.js';

/** Requests that are sent together on one connection. */
export interface Stream {
  readonly requests: readonly Request[];
  /** Of all their bytes. */
  readonly changes: readonly Change[];
  /** Where the bytes are cut into pieces, from 0 to 1 of their length. */
  readonly cuts: readonly number[];
}

const cuts = fc.oneof(
  { weight: 3, arbitrary: fc.constant([]) },
  {
    weight: 1,
    arbitrary: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 3 }),
  },
);

/** Operations with bodies of all kinds in valid requests, requests of all kinds, and bytes that resemble requests. */
export const stream: fc.Arbitrary<Stream> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      requests: fc.array(plainRequest, { minLength: 1, maxLength: 16, size: 'max' }),
      changes: fc.constant([]),
      cuts,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      requests: fc.array(variedRequest, { minLength: 1, maxLength: 6, size: 'max' }),
      changes: fc.constant([]),
      cuts,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      requests: fc.array(fc.oneof(plainRequest, variedRequest), { minLength: 1, maxLength: 4, size: 'max' }),
      changes: fc.array(change, { minLength: 1, maxLength: 3 }),
      cuts,
    }),
  },
);

/**
 * The bytes of a stream.
 *
 * @param nextIds the ids of each request
 */
export function renderStream(
  { requests, changes }: Stream,
  token: string,
  nextIds: () => RequestIds,
): Buffer {
  const parts = requests.map((request) => renderRequest(request, token, nextIds()));
  return applyChanges(Buffer.concat(parts), changes);
}
