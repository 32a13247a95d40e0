import fc from 'fast-check';
import { applyChanges, type Change, change } from './body.js';
import { plainRequest, type Request, readRequest, renderRequest, variedRequest } from './request.js';

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

const validRequest = fc.oneof({ weight: 3, arbitrary: plainRequest }, { weight: 1, arbitrary: readRequest });

/** Bodies of all kinds in valid requests, reads, requests of all kinds, and bytes that resemble requests. */
export const stream: fc.Arbitrary<Stream> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      requests: fc.array(validRequest, { minLength: 1, maxLength: 16, size: 'max' }),
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
      requests: fc.array(fc.oneof(validRequest, variedRequest), { minLength: 1, maxLength: 4, size: 'max' }),
      changes: fc.array(change, { minLength: 1, maxLength: 3 }),
      cuts,
    }),
  },
);

/**
 * The bytes of a stream.
 *
 * @param nextId a new id for each request
 */
export function renderStream({ requests, changes }: Stream, token: string, nextId: () => bigint): Buffer {
  const parts = requests.map((request) => renderRequest(request, token, nextId()));
  return applyChanges(Buffer.concat(parts), changes);
}
