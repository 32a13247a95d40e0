import { expect, it } from 'vitest';
import { parseTraceparent } from './request-log.js';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

it.each([
  ['of version 00', `00-${traceId}-${spanId}-01`],
  ['with unknown flags', `00-${traceId}-${spanId}-ff`],
  ['of a later version', `01-${traceId}-${spanId}-00`],
  ['of a later version with more fields', `cc-${traceId}-${spanId}-01-what the future has`],
])('reads a header %s', (_, header) => {
  expect(parseTraceparent(header)).toEqual({ traceId, spanId });
});

it.each([
  ['is empty', ''],
  ['is of the forbidden version', `ff-${traceId}-${spanId}-01`],
  ['is of version 00 with more fields', `00-${traceId}-${spanId}-01-more`],
  ['is in upper case', `00-${traceId.toUpperCase()}-${spanId}-01`],
  ['has no trace', `00-${'0'.repeat(32)}-${spanId}-01`],
  ['has no span', `00-${traceId}-${'0'.repeat(16)}-01`],
  ['is too short', `00-${traceId.slice(1)}-${spanId}-01`],
  ['was sent twice', `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`],
  ['has other text around it', ` 00-${traceId}-${spanId}-01`],
  ['has another separator', `00_${traceId}_${spanId}_01`],
])('ignores a header that %s', (_, header) => {
  expect(parseTraceparent(header)).toBeUndefined();
});
